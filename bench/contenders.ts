// The servers that are compared: the service as it is shipped, the floor of its runtime, nginx, and Fastify with node:sqlite.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeCursor } from '../src/http/request/cursor.ts'
import { type Answer, nginxConfiguration } from './answers.ts'
import { findProgram, peerNode } from './machine.ts'
import type { Asking } from './requests.ts'
import { copyOfSeeded, type Seeded } from './seed.ts'
import { freePort, type Running, type Starting, start } from './servers.ts'

export const ROOT = join(import.meta.dir, '..')
export const FLOOR = 'floor'

export interface Contender {
  name: string
  /** `pets`: how many its store holds at first. `folder` is empty and its own. `prepare`: SQL that its store is changed with. */
  start(pets: number, folder: string, prepare?: string): Promise<Served>
}

export interface Served extends Asking {
  running: Running
}

export interface OursOptions {
  name?: string
  flags?: readonly string[]
  /** On these cores instead of the server's. */
  cores?: readonly number[]
  /** An existing store, instead of a new one. */
  store?: Seeded
}

export const ourCursor = (after: number) => encodeCursor(BigInt(after))

/** The service of the source tree at `root`, with its defaults: keys checked, creates logged to a file. */
export function ours(root: string, { name = 'petstore', flags = [], cores, store }: OursOptions = {}): Contender {
  return contender(
    name,
    (pets, path, prepare) => store ?? copyOfSeeded(root, pets, path, prepare),
    (port, database) => [join(root, 'bin/petstore'), 'serve', '--port', port, '--database', database, ...flags],
    cores ? { cores } : {},
  )
}

/** The runtime of the service, sending this answer; see floor.ts. */
export function floor(answer: Answer, key: string): Contender {
  return contender(FLOOR, withoutStore(key), (port, _, folder) => {
    const file = join(folder, 'answer.json')
    writeFileSync(file, JSON.stringify({ ...answer, key }))
    return [process.execPath, join(import.meta.dir, 'floor.ts'), file, port]
  })
}

/** nginx, sending this answer from its configuration. */
export function nginx(answer: Answer, key: string): Contender {
  return contender('nginx', withoutStore(key), (port, _, folder) => {
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, nginxConfiguration(answer, key, port, folder))
    return [findProgram('nginx') as string, '-c', file, '-e', join(folder, 'nginx.log')]
  })
}

/** See fastify.mjs. Its cursor is the last id. */
export const fastify = contender(
  'Fastify',
  (pets, path) => copyOfSeeded(ROOT, pets, path),
  (port, database) => [peerNode(), join(import.meta.dir, 'fastify.mjs'), database, port],
  { environment: { NODE_ENV: 'production' } },
  String,
)

function withoutStore(key: string): () => Seeded {
  return () => ({ database: '', key })
}

function contender(
  name: string,
  store: (pets: number, path: string, prepare?: string) => Seeded,
  command: (port: string, database: string, folder: string) => string[],
  more: Pick<Starting, 'cores' | 'environment'> = {},
  cursor = ourCursor,
): Contender {
  return {
    name,
    async start(pets, folder, prepare) {
      const { database, key } = store(pets, join(folder, 'store.db'), prepare)
      const port = freePort()
      const running = await start({ command: command(String(port), database, folder), port, key, folder, ...more })
      return { running, key, cursor }
    },
  }
}
