// A receiver of web hooks, and `petstore events forward` as a process.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { atEndOfFile, temporaryFile } from './files.ts'
import { launcher } from './process.ts'
import { peakBytesOf } from './process-tree.ts'
import { until } from './until.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export interface Received {
  /** The id of the event. */
  id: number
  body: string
  headers: Record<string, string>
  /** By performance.now(). */
  at: number
}

export type Hook = Awaited<ReturnType<typeof startHook>>

/** Verifies each signature, and calls `respond` with the event and the number of earlier ones, until the end of the file. */
export async function startHook(respond: (received: Received, n: number) => Response | Promise<Response>, tls = {}) {
  const all: Received[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...tls,
    async fetch(request) {
      const headers = Object.fromEntries(request.headers)
      const body = await request.text()
      new Webhook(SECRET).verify(body, headers)
      const received = { id: JSON.parse(body).id, body, headers, at: performance.now() }
      return respond(received, all.push(received) - 1)
    },
  })
  atEndOfFile(() => server.stop(true))
  return {
    url: `${'tls' in tls ? 'https' : 'http'}://127.0.0.1:${server.port}/hook`,
    all,
    ids: () => all.map(({ id }) => id),
    async received(count: number) {
      await until(`the hook has ${count} events`, () => all.length >= count)
    },
    stop: () => server.stop(true),
  }
}

export const taken = () => new Response(null, { status: 204 })

export interface ForwardOptions {
  to: string
  /** The service. */
  url: string
  key: string
  state?: string
  secrets?: string
  args?: string[]
  env?: Record<string, string>
}

/** Starts a forwarder, by default with a new state file. */
export function forward({ to, url, key, secrets = SECRET, args = [], env = {}, ...given }: ForwardOptions) {
  const { state = join(mkdtempSync(temporaryFile('state-')), 'forwarded') } = given
  const secretFile = join(dirname(state), 'secret')
  writeFileSync(secretFile, `${secrets}\n`)
  const flags = ['--to', to, '--secret-file', secretFile, '--state', state, '--url', url]
  const child = Bun.spawn([launcher, 'events', 'forward', ...flags, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: dirname(state), PETSTORE_API_KEY: key, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // A failed test does not stop it.
  process.on('exit', () => child.kill('SIGKILL'))
  let stderr = ''
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) stderr += text
  })()
  const ended = async () => {
    await reading
    return { status: await child.exited, stderr }
  }
  return {
    state,
    cursor: () => readFileSync(state, 'utf8').trim(),
    /** Resolves with the first group when standard error matches. */
    said: (what: RegExp) => until(`it says ${what}`, () => what.exec(stderr)?.[1], { everyMs: 5, seen: () => stderr }),
    /** The exit status and standard error. */
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** The peak memory, after the end. */
    peakBytes: peakBytesOf(child),
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal)
      return ended()
    },
  }
}
