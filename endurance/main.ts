// `npm run endurance -- NAME`: runs an experiment with its options, or all of what the suite runs in part.

import { join } from 'node:path'
import { print } from './command.ts'

type Main = (words: readonly string[]) => Promise<number>

const VERIFY = 'packages/verify/test'
const EXPERIMENTS: Readonly<Record<string, () => Promise<{ main: Main }>>> = {
  history: () => import('./history.ts'),
  hostile: () => import('./hostile.ts'),
  'lossy-failover': () => import('./lossy-failover.ts'),
  page: () => import('./page.ts'),
  search: () => import('./search.ts'),
  soak: () => import('./soak.ts'),
  waits: () => import('./waits.ts'),
  'contract-faults': suite({ FAULTS: 'all' }, `${VERIFY}/found-faults.release.test.ts`),
  planted: suite(
    { FAULTS: 'planted' },
    ...[`${VERIFY}/found-faults.release.test.ts`, `${VERIFY}/servers.release.test.ts`],
    ...['-t', 'planted fault|accuses nobody'],
  ),
  letters: suite({ LETTERS: 'all' }, 'store/search.process', '-t', 'letters and digits'),
}

/** All of what these tests try in part. */
function suite(env: Record<string, string>, ...args: readonly string[]) {
  const run: Main = async (words) => {
    const command = [process.execPath, 'test', '--timeout', '600000', ...args, ...words]
    const cwd = join(import.meta.dir, '..')
    return Bun.spawn(command, { cwd, env: { ...process.env, ...env }, stdio: ['inherit', 'inherit', 'inherit'] }).exited
  }
  return async () => ({ main: run })
}

const [name = '', ...words] = process.argv.slice(2)
const experiment = EXPERIMENTS[name]
if (!experiment) print(`npm run endurance -- NAME [options]. The names: ${Object.keys(EXPERIMENTS).join(', ')}.`)
process.exit(experiment ? await (await experiment()).main(words) : 1)
