// A client for tests of lessons. It sends what a script says, on the test's clock.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { startProxy } from '../../../test/support/faulty.ts'
import type { Service } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import type { Fault } from '../../testing/testing.ts'
import { headerOf, linkIn } from '../../verify/src/headers.ts'
import { type Message, MessageReader } from '../../verify/src/messages.ts'
import { Practice } from '../src/practice.ts'

export const REX = '{"name":"Rex","categoryId":7}'

const LARGE = '9223372036854775807'

type Headers = Record<string, string>

/** A client that only does what its script says. */
export class Client {
  private socket: Socket | undefined
  private answers: MessageReader | undefined
  at = 0
  key: string
  /** The last response. */
  last: Message | undefined
  constructor(
    readonly url: URL,
    readonly practice: Practice,
    readonly rightKey: string,
  ) {
    this.key = rightKey
  }

  /** Returns the same client on a new connection. */
  another(): Client {
    return new Client(this.url, this.practice, this.rightKey)
  }

  /** Sends on the open connection. Resolves with `undefined` if the connection is closed without a response. */
  async send(method: string, path: string, headers: Headers = {}, body = ''): Promise<Message | undefined> {
    if (!this.socket || this.socket.destroyed) {
      this.socket = connect(Number(this.url.port), this.url.hostname).on('error', () => undefined)
      this.answers = new MessageReader(this.socket)
    }
    const length = body === '' ? {} : { 'Content-Length': String(body.length) }
    const sent = { Host: 'localhost', Authorization: `Bearer ${this.key}`, ...length, ...headers }
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
    this.socket.write(`${method} /v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    const answer = await this.answers?.response((status) => [204, 304].includes(status)).catch(() => undefined)
    this.last = answer
    if (!answer) await this.close()
    const isAnswered = () => this.practice.report().requests.at(-1)?.answer !== 'waiting'
    await until('the last request has its response', isAnswered, { everyMs: 0 })
    return answer
  }

  get(path: string, headers: Headers = {}) {
    return this.send('GET', path, headers)
  }

  /** Resolves when the connection is closed. */
  async close(): Promise<void> {
    const { socket } = this
    this.socket = undefined
    if (!socket || socket.destroyed) return
    socket.destroy()
    await once(socket, 'close')
  }
}

/** Returns a header of the last response. */
function lastOf(client: Client, name: string): string {
  return headerOf(client.last?.headers ?? [], name) ?? ''
}

export type Step = (client: Client) => unknown

export function send(method: string, path: string, headers: Headers = {}, body = ''): Step {
  return (client) => client.send(method, path, headers, body)
}
export const get = (path: string) => send('GET', path)
export const list = get('/pets')
export const add = (key?: string, pet = REX) =>
  send('POST', '/pets', key === undefined ? {} : { 'Idempotency-Key': key }, pet)
const pet = (name: string, categoryId: string) => `{"name":"${name}","categoryId":${categoryId}}`
/** Adds two pets, the first with the largest category. */
export const adding = (category: string) => [add('large', pet('Large', LARGE)), add('sent', pet('Sent', category))]
export const nextOf = (client: Client) => linkIn(client.last?.headers ?? [], 'next')?.replace('/v1', '')
/** Gets the next page, optionally with a changed path. */
export function next(change = (path: string) => path): Step {
  return (client) => client.get(change(nextOf(client) ?? ''))
}
export const everyNext: Step = async (client) => {
  while (nextOf(client) !== undefined) await next()(client)
}
/** Sends a request with the ETag of the last response. */
export function tagged(method: string, path: string, header: string, body?: string): Step {
  return (client) => client.send(method, path, { [header]: lastOf(client, 'ETag') }, body)
}
export function fail(fault: Fault): Step {
  return (client) => client.practice.fail(fault)
}
export function wait(ms: number): Step {
  return (client) => {
    client.at += ms
  }
}
export const close: Step = (client) => client.close()
export function key(value: string): Step {
  return (client) => {
    client.key = value
  }
}
/** Runs the steps at the same time, each on a new connection. */
export function parallel(...steps: Step[]): Step {
  return (client) => Promise.all(steps.map((step) => step(client.another())))
}
/** Runs the steps while the client waits for a list. */
export function meanwhile(...steps: Step[]): Step {
  return async (client) => {
    const sent = client.get('/pets')
    await until('the request is recorded', () => client.practice.report().requests.length !== 0, { everyMs: 1 })
    await run(steps, client)
    await sent
  }
}
/** Repeats the steps. */
export const repeated = (times: number, ...steps: Step[]) => Array.from({ length: times }, () => steps).flat()

export async function run(steps: readonly Step[], client: Client): Promise<void> {
  for (const step of steps) await step(client)
}

/** Runs `work` with a client behind a new proxy. */
export async function withClient(service: Service, work: (client: Client, practice: Practice) => Promise<unknown>) {
  const practice: Practice = new Practice(() => client.at)
  const proxy = await startProxy(service.url, practice.behave)
  const client = new Client(new URL(proxy.url), practice, service.key)
  await work(client, practice).finally(proxy.stop)
}
