// Who is measured: the service as it is shipped, the limit, what one would write or take today. Each is started on the
// same animals, where it keeps animals at all.

import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, nginxConfiguration } from './nginx.ts'
import { freePort, type Running, type Starting, start } from './processes.ts'
import { type Asking, ourCursor } from './requests.ts'
import { copyOfSeeded } from './seed.ts'
import { findProgram, peersNode } from './tools.ts'

export interface Contender {
  name: string
  /** `folder` is its own, and empty. */
  start(animals: number, folder: string): Promise<Served>
}

export interface Served extends Asking {
  running: Running
  /** How it is asked for its first page of 20, where that is not `/pets`. */
  list?: string
}

export interface OursOptions {
  name?: string
  flags?: readonly string[]
  cores?: readonly number[]
  /** A store that is there already, instead of a new one with animals. */
  store?: { database: string; key: string }
}

/** The service of the source tree at `root`, with the defaults as shipped: keys checked, creates logged to a file. */
export function ours(root: string, { name = 'petstore', flags = [], cores, store }: OursOptions = {}): Contender {
  return {
    name,
    async start(animals, folder) {
      const { database, key } = store ?? (await copyOfSeeded(root, animals, join(folder, 'store.db')))
      const port = await freePort()
      const running = await startIn(folder, {
        command: [join(root, 'bin/petstore'), 'serve', '--port', String(port), '--database', database, ...flags],
        port,
        probe: { path: '/v1/pets', headers: authorization(key) },
        ...(cores ? { cores } : {}),
      })
      return { running, key, base: '/v1', cursor: ourCursor }
    },
  }
}

/** nginx with one worker and a fixed key check, answering with the bytes that the service has answered with. */
export function nginx(answers: readonly Answer[], key: string): Contender {
  return {
    name: 'nginx',
    async start(_animals, folder) {
      const port = await freePort()
      const path = join(folder, 'nginx.conf')
      writeFileSync(path, nginxConfiguration({ port, key, answers, folder }))
      const running = await startIn(folder, {
        command: [findProgram('nginx') as string, '-c', path, '-e', join(folder, 'nginx.log')],
        port,
        probe: { path: answers[0]?.target ?? '/', headers: authorization(key) },
      })
      return { running, key, base: '/v1', cursor: ourCursor }
    },
  }
}

export const fastify = peer('Fastify', 'peers/fastify.mjs')
export const express = peer('Express', 'peers/express.mjs')

/** A mock of the contract, which keeps nothing. */
export const prism: Contender = {
  name: 'Prism',
  async start(_animals, folder) {
    const port = await freePort()
    const contract = join(import.meta.dir, '../openapi.yaml')
    const options = [
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--multiprocess',
      'false',
      '--verboseLevel',
      'silent',
    ]
    const running = await startIn(folder, {
      command: [peersNode(), packaged('prism'), 'mock', ...options, contract],
      port,
      probe: { path: '/pets', headers: authorization('any') },
    })
    return { running, key: 'any', base: '', cursor: String }
  },
}

/** Keeps everything in one JSON file and checks no key. */
export const jsonServer: Contender = {
  name: 'json-server',
  async start(animals, folder) {
    const port = await freePort()
    const store = join(folder, 'store.db')
    await copyOfSeeded(ROOT, animals, store)
    const database = new Database(store, { readonly: true })
    const pets = database
      .query('SELECT cast(id AS TEXT) AS id, name, category_id AS categoryId, status FROM pets')
      .all()
    database.close()
    const path = join(folder, 'db.json')
    writeFileSync(path, JSON.stringify({ pets }))
    const list = '/pets?_page=1&_per_page=20'
    const running = await startIn(folder, {
      command: [peersNode(), packaged('json-server'), path, '--port', String(port), '--host', '127.0.0.1'],
      port,
      probe: { path: list },
    })
    return { running, key: 'any', base: '', cursor: String, list }
  },
}

export const ROOT = join(import.meta.dir, '..')

function peer(name: string, file: string): Contender {
  return {
    name,
    async start(animals, folder) {
      const { database, key } = await copyOfSeeded(ROOT, animals, join(folder, 'store.db'))
      const port = await freePort()
      const running = await startIn(folder, {
        command: [peersNode(), join(import.meta.dir, file), database, String(port)],
        port,
        probe: { path: '/v1/pets', headers: authorization(key) },
        environment: { NODE_ENV: 'production' },
      })
      return { running, key, base: '/v1', cursor: String }
    },
  }
}

function packaged(program: string): string {
  return join(import.meta.dir, 'node_modules/.bin', program)
}

function startIn(folder: string, starting: Omit<Starting, 'output'>): Promise<Running> {
  return start({ ...starting, cwd: folder, output: join(folder, 'output') })
}

function authorization(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` }
}
