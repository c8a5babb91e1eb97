// The options, reports and exit statuses of the experiments.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { root, run } from '../../test/support/process.ts'
import { experiment, type Outcome } from '../command.ts'

const example = (outcome: Outcome, seen: object[] = []) =>
  experiment({
    name: 'example',
    title: 'Example',
    description: 'Does nothing.',
    options: { rounds: ['how often', 7], seed: ['the start', 5] },
    run: async (values) => {
      seen.push(values)
      return outcome
    },
  })

test('uses defaults, and returns 1 if an experiment fails', async () => {
  const seen: object[] = []
  expect(await example({ text: 'well', passed: true }, seen)([])).toBe(0)
  expect(await example({ text: 'ill', passed: false }, seen)(['--rounds', '3'])).toBe(1)
  expect(seen).toMatchObject([
    { rounds: 7, seed: 5 },
    { rounds: 3, seed: 5 },
  ])
})

test('rejects an option that is not a whole number before anything starts', async () => {
  const command = [process.execPath, join(root, 'endurance/main.ts'), 'history']
  const { status, stderr, stdout } = await run(['--pieces=1.5'], { command })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('must be a number from 1 to 999999')
})

test('prints the report of an experiment and exits with 0', async () => {
  const options = '--store postgres --pieces 1 --operations 100'.split(' ')
  const command = [process.execPath, join(root, 'endurance/main.ts'), 'history']
  const { status, stdout } = await run([...options, '--breaks', 'a server frozen'], { command })
  const words = `npm run endurance -- history ${options.join(' ')} --breaks 'a server frozen'`
  expect(stdout).toStartWith(`## Recorded histories\n\n\`${words}\`, `)
  expect(stdout).toContain('\n- Faults: none.\n')
  expect(status).toBe(0)
})
