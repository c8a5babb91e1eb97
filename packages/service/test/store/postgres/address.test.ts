// Addresses of PostgreSQL: their parts, what is rejected, and that passwords are never printed.

import { expect, test } from 'bun:test'
import { readConfig } from '../../../src/config/read-config.ts'
import { describeAddress, parsePostgresAddress } from '../../../src/store/postgres/address.ts'

const SECRET = 'hunter2'

test('parses hosts, user, password, database and parameters, percent-decoded', () => {
  expect(
    parsePostgresAddress('postgres://shop:p%40ss%2F%3A@db1:5433,[::1],db3.example,%2Fvar%2Frun/pet%20store'),
  ).toEqual({
    hosts: [
      { host: 'db1', port: 5433 },
      { host: '::1', port: 5432 },
      { host: 'db3.example', port: 5432 },
      { host: '/var/run', port: 5432 },
    ],
    user: 'shop',
    password: 'p@ss/:',
    database: 'pet store',
    sslMode: 'prefer',
    sslRootCert: undefined,
    connections: 8,
  })
  const parameters = 'sslmode=verify-full&sslrootcert=%2Fca.pem&connections=20'
  const expected = { password: undefined, sslMode: 'verify-full', sslRootCert: '/ca.pem', connections: 20 } as const
  expect(parsePostgresAddress(`postgresql://shop@db/p?${parameters}`)).toMatchObject(expected)
})

test('prints only hosts and database', () => {
  expect(describeAddress(`postgres://shop:${SECRET}@db1,[::1]:5433,%2Fvar%2Frun/pets?sslmode=require`)).toBe(
    'postgres://db1:5432,[::1]:5433,%2Fvar%2Frun:5432/pets',
  )
})

test('rejects a backup folder for PostgreSQL', () => {
  const environment = { PETSTORE_DATABASE: `postgres://shop:${SECRET}@db/pets`, PETSTORE_BACKUP_DIR: '/backups' }
  expect(() => readConfig(environment)).toThrow('PETSTORE_BACKUP_DIR is for files')
})

const ADDRESSES = [
  `@db @db/ @/pets postgres://:${SECRET}@db/pets postgres://db/pets?password=${SECRET} @db:99999/pets`,
  '@db:0/pets @db,/pets @db%zz/pets @db/pets?sslmode=never @db/pets?connections=0 @db/pets?connections=101',
  `@db/pets?max=1 @db/pets#x postgres://shop:${SECRET}%zz@db/pets postgres://shop:${SECRET}/x@db/pets`,
  `postgres:shop:${SECRET}@db/pets mysql://shop:${SECRET}@db/pets`,
].flatMap((texts) => texts.split(' ').map((text) => text.replace(/^@/, `postgres://shop:${SECRET}@`)))
for (const address of ADDRESSES) {
  test(`rejects an invalid address with a reason and without the password: ${address.replace(SECRET, '…')}`, () => {
    let message = ''
    try {
      readConfig({ PETSTORE_DATABASE: address })
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(/PETSTORE_DATABASE (must|has)/)
    expect(message).not.toContain(SECRET)
  })
}
