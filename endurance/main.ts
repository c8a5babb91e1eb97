// `npm run endurance -- NAME` runs an experiment, or the full form of a test that the suite runs in a short form.

import { join } from 'node:path'
import { experiment as experimentOf, print } from './command.ts'

const SEEDS = 900_000
const VERIFY = 'packages/verify/test'
const EXPERIMENTS: Readonly<Record<string, (words: readonly string[]) => Promise<number>>> = {
  history: async (words) => (await import('./history.ts')).main(words),
  page: async (words) => (await import('./page.ts')).main(words),
  simulate: async (words) => (await import('./simulate.ts')).main(words),
  soak: async (words) => (await import('./soak.ts')).main(words),
  'contract-faults': suite({ FAULTS: 'all' }, `${VERIFY}/found-faults.release.test.ts`),
  planted: suite(
    { FAULTS: 'planted' },
    ...[`${VERIFY}/found-faults.release.test.ts`, `${VERIFY}/servers.release.test.ts`],
    ...['-t', 'planted fault|with the habit'],
  ),
  hostile: suite({ REQUESTS: '100000' }, 'http/hostile.test', '-t', 'generated from the contract'),
  letters: suite({ LETTERS: 'all' }, 'store/search.process', '-t', 'letters and digits'),
  sequences: experimentOf({
    name: 'sequences',
    title: 'Random sequences',
    description: 'Runs random sequences of calls on each store, and compares the results with a model.',
    options: {
      seed: ['the seed; the same one repeats a failure', 1 + Math.floor(Math.random() * SEEDS), 'random'],
      times: ['how many times as many sequences as npm test', 10],
    },
    async run({ seed, times }) {
      const env = { SEQUENCES_SEED: `${seed}`, SEQUENCES_TIMES: `${times}` }
      const status = await suite(env, 'store/sqlite/sequences', 'store/postgres/sequences')([])
      return { text: `Seed ${seed}.`, passed: status === 0 }
    },
  }),
  'lossy-failover': suite({ ROUNDS: '3', RESERVATIONS: '60' }, 'lossy-failover'),
  search: suite({ SEARCHES: 'all' }, 'store/search.process', '-t', 'a naive model'),
}

/** Runs these tests in their full form. */
function suite(env: Record<string, string>, ...args: readonly string[]) {
  return (words: readonly string[]): Promise<number> => {
    const command = [process.execPath, 'test', '--timeout', '600000', ...args, ...words]
    const cwd = join(import.meta.dir, '..')
    return Bun.spawn(command, { cwd, env: { ...process.env, ...env }, stdio: ['inherit', 'inherit', 'inherit'] }).exited
  }
}

const [name = '', ...words] = process.argv.slice(2)
const experiment = EXPERIMENTS[name]
if (!experiment) print(`npm run endurance -- NAME [options]. The names: ${Object.keys(EXPERIMENTS).join(', ')}.`)
process.exit(experiment ? await experiment(words) : 1)
