// Simulated runs with random seeds and with planted faults. `npm run simulate -- --planted all` tries all planted faults.

import { expect, test } from 'bun:test'
import { inWords } from '../history/words.ts'
import { startHosts } from '../simulate/bundle.ts'
import { editsOf, PLANTED } from '../simulate/planted.ts'
import { IN_POSTGRES } from '../simulate/postgres/planted.ts'
import { findPlanted, runOf } from '../simulate.ts'

test('finds no fault with random seeds', async () => {
  const hosts = await startHosts(2)
  const first = 1 + Math.floor(Math.random() * 900_000)
  for (let seed = first; seed < first + 6; seed++) {
    const { faults } = await runOf(seed, 1_500, { hosts })
    expect({ seed, faults: faults.map(inWords) }).toEqual({ seed, faults: [] })
  }
})

test.each(['an await between reading and writing', 'own commits do not change the version'])(
  'finds what is planted: %s',
  async (name) => {
    expect((await findPlanted(name, 1_500))?.words).toBeString()
  },
)

test('every edit of a planted fault matches the source once', async () => {
  for (const name of [PLANTED, IN_POSTGRES].flatMap(Object.keys)) await startHosts(0, editsOf(name))
})
