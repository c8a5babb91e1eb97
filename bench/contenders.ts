// The servers that are compared: the service as it is shipped, the floor of its runtime, nginx, and Fastify with node:sqlite.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeCursor } from '../src/http/paging.ts'
import { type Answer, nginxConfiguration } from './answers.ts'
import { findProgram, peerNode } from './machine.ts'
import type { Asking } from './requests.ts'
import { copyOfSeeded } from './seed.ts'
import { freePort, type Running, type Starting, start } from './servers.ts'

export const ROOT = join(import.meta.dir, '..')
export const FLOOR = 'floor'

export interface Contender {
  name: string
  /** `pets`: how many its store holds at first. `folder` is empty and its own. */
  start(pets: number, folder: string): Promise<Served>
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
  store?: { database: string; key: string }
}

export const ourCursor = (after: number) => encodeCursor(BigInt(after))

/** The service of the source tree at `root`, with its defaults: keys checked, creates logged to a file. */
export function ours(root: string, { name = 'petstore', flags = [], cores, store }: OursOptions = {}): Contender {
  return {
    name,
    async start(pets, folder) {
      const { database, key } = store ?? (await copyOfSeeded(root, pets, join(folder, 'store.db')))
      const command = (port: number) => [
        join(root, 'bin/petstore'),
        ...['serve', '--port', String(port), '--database', database, ...flags],
      ]
      return { running: await startIn(folder, key, command, cores ? { cores } : {}), key, cursor: ourCursor }
    },
  }
}

/** The runtime of the service, sending this answer; see floor.ts. */
export function floor(answer: Answer, key: string): Contender {
  return {
    name: FLOOR,
    async start(_pets, folder) {
      const file = join(folder, 'answer.json')
      writeFileSync(file, JSON.stringify({ ...answer, key }))
      const command = (port: number) => [process.execPath, join(import.meta.dir, 'floor.ts'), file, String(port)]
      return { running: await startIn(folder, key, command), key, cursor: ourCursor }
    },
  }
}

/** nginx, sending this answer from its configuration. */
export function nginx(answer: Answer, key: string): Contender {
  return {
    name: 'nginx',
    async start(_pets, folder) {
      const file = join(folder, 'nginx.conf')
      const command = (port: number) => {
        writeFileSync(file, nginxConfiguration(answer, key, port, folder))
        return [findProgram('nginx') as string, '-c', file, '-e', join(folder, 'nginx.log')]
      }
      return { running: await startIn(folder, key, command), key, cursor: ourCursor }
    },
  }
}

/** See fastify.mjs. Its cursor is the last id. */
export const fastify: Contender = {
  name: 'Fastify',
  async start(pets, folder) {
    const { database, key } = await copyOfSeeded(ROOT, pets, join(folder, 'store.db'))
    const command = (port: number) => [peerNode(), join(import.meta.dir, 'fastify.mjs'), database, String(port)]
    const running = await startIn(folder, key, command, { environment: { NODE_ENV: 'production' } })
    return { running, key, cursor: String }
  },
}

function startIn(
  folder: string,
  key: string,
  command: (port: number) => string[],
  more: Pick<Starting, 'cores' | 'environment'> = {},
): Promise<Running> {
  const port = freePort()
  return start({ command: command(port), port, key, folder, ...more })
}
