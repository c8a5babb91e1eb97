// Starts on PostgreSQL: what they reject, and which rights a server needs.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Forwarder } from '../../../../../test/support/forwarder.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { cluster, now, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { StartError } from '../../../src/domain/start-error.ts'
import { kindOf, openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/address.ts'
import { PrimaryConnection } from '../../../src/store/postgres/connect/primary.ts'
import { checkRights, grants } from '../../../src/store/postgres/schema/rights.ts'

describe('a start rejects', () => {
  const SECRET = 'hunter2%2F'
  const NO_SCHEMA = 'REVOKE ALL ON SCHEMA public FROM PUBLIC'
  const refusals: [string, () => Promise<string> | string, RegExp][] = [
    ['an unknown name', () => `postgres://u:${SECRET}@petstore.invalid/pets`, /its host name cannot be resolved/],
    [
      'a user whose transactions are read-only',
      () => databaseFor('read_only', 'ALTER ROLE read_only SET default_transaction_read_only = on'),
      /its transactions are read-only, but it is not a standby/,
    ],
    ['another encoding', () => databaseWith(`ENCODING 'SQL_ASCII' TEMPLATE template0`), /encoding is SQL_ASCII/],
    [
      'a database whose triggers do not run',
      () =>
        databaseWith(
          '',
          `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica', current_database()); END $$`,
        ),
      /its session_replication_role is 'replica': set it to 'origin' for the role/,
    ],
    ['tables of another program', () => databaseWith('', 'CREATE TABLE pets (id int)'), /another program/],
    ['a schema that is newer', () => newerDatabase(), /newer petstore/],
    ['no schema', () => databaseFor('schemaless', NO_SCHEMA), /this user lacks privileges.*migrate --apply/],
  ]
  for (const [what, address, sentence] of refusals) {
    test(what, async () => {
      const error = await openStore(await address(), { now }).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(StartError)
      expect(error.message).toMatch(sentence)
      expect(error.message).not.toContain('hunter2')
    })
  }

  async function databaseWith(options: string, statement = 'SELECT 1'): Promise<string> {
    const address = await cluster.newDatabase(options)
    await cluster.run(statement, address)
    return address
  }

  async function databaseFor(role: string, statement: string): Promise<string> {
    const address = await databaseWith('', `CREATE ROLE ${role} LOGIN; ${statement}`)
    return address.replace('postgres@', `${role}@`)
  }

  /** A server that is running keeps serving. */
  async function newerDatabase(): Promise<string> {
    const { address, store, by, name } = await storeWithKey()
    const upgrade = 'ALTER TABLE pets ADD COLUMN later text; UPDATE petstore_schema SET version = 1000'
    await cluster.run(upgrade, name)
    const { value: added } = await store.createPet(PET, by)
    expect(petsOf(await store.listPets(petFilter({ limit: 5 })))).toEqual([added])
    await store.close()
    return address
  }
})

const opened = [
  ['a start', (address: string) => openStore(address, { now })],
  ['a copy', (address: string) => kindOf(address).contents(address)],
] as const
test.each(opened)('%s waits for a database that is slow to connect', async (_, open) => {
  const { store, address } = await storeWithKey()
  await store.close()
  // The first connection gets no response.
  const first = () => {
    slow.target = cluster.port
  }
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: first, data: () => undefined } })
  const slow = await Forwarder.start(silent.port)
  await (await open(address.replace(`:${cluster.port}/`, `:${slow.port}/`))).close()
  slow.stop()
  silent.stop(true)
})

test('a start lists each missing right', async () => {
  const { store, name, address } = await storeWithKey()
  await store.close()
  const role = `lacking_${name}`
  const documented = readFileSync(`${import.meta.dir}/../../../../../docs/postgresql.md`, 'utf8')
  const granted = [...documented.matchAll(/^GRANT (.*) ON (\w+(?:, \w+)*) TO petstore;$/gm)]
    .flatMap(([, rights, tables]) =>
      (tables as string)
        .split(', ')
        .flatMap((table) => (rights as string).split(', ').map((right) => `${right} ON ${table}`)),
    )
    .filter((right) => !/petstore_schema|CONNECT/.test(right))
  await cluster.run(`CREATE ROLE ${role} LOGIN; GRANT SELECT ON petstore_schema TO ${role}`, name)
  const error = await openStore(address.replace('postgres@', `${role}@`), { now }).catch((thrown) => thrown)
  const named = /\((.*)\): see petstore help/.exec(error.message)?.[1]?.split(/, (?=[A-Z])/)
  expect(named?.toSorted()).toEqual(granted.toSorted())
})

test('a server without the right to update a column of pets is rejected until it has the grants', async () => {
  const { store, name, address } = await storeWithKey()
  await store.close()
  const role = `growing_${name}`
  const grant = (statements: string) => cluster.run(statements, name)
  await grant(`CREATE ROLE ${role} LOGIN; ${grants(role)} REVOKE UPDATE (name) ON pets FROM ${role}`)
  const connection = await PrimaryConnection.open(parsePostgresAddress(address.replace('postgres@', `${role}@`)))
  const error = await rejectionOf(checkRights(connection.read))
  expect(error.message).toContain('(UPDATE (name) ON pets)')
  await grant(grants(role))
  await checkRights(connection.read)
  await connection.transaction(({ query }) => query(`UPDATE pets SET name = 'Rex' WHERE id = $1 RETURNING id`, 1n))
  await connection.close()
})
