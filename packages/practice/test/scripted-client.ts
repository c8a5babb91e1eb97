// A client for tests of lessons: it sends what a script says, byte by byte, by the test's time.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { startProxy } from '../../../test/support/faulty.ts'
import type { Service } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import type { Fault } from '../../testing/testing.ts'
import { headerOf, type Message, MessageReader } from '../src/messages.ts'
import { Practice } from '../src/practice.ts'

export const REX = '{"name":"Rex","categoryId":7}'

type Headers = Record<string, string>

/** A client that does what it is told, and nothing by itself. */
export class Client {
  private socket: Socket | undefined
  private answers: MessageReader | undefined
  at = 0
  key: string
  constructor(
    readonly url: URL,
    readonly practice: Practice,
    readonly rightKey: string,
  ) {
    this.key = rightKey
  }

  /** The same on a connection of its own. */
  another(): Client {
    return new Client(this.url, this.practice, this.rightKey)
  }

  fail(fault: Fault): void {
    this.practice.fail(fault)
  }

  wait(ms: number): void {
    this.at += ms
  }

  /** On the connection that is there. Without an answer, when it is closed. */
  async send(method: string, path: string, headers: Headers = {}, body = ''): Promise<Message | undefined> {
    if (!this.socket || this.socket.destroyed) {
      this.socket = connect(Number(this.url.port), this.url.hostname).on('error', () => undefined)
      this.answers = new MessageReader(this.socket)
    }
    const length = body === '' ? {} : { 'Content-Length': String(body.length) }
    const sent = { Host: 'localhost', Authorization: `Bearer ${this.key}`, ...length, ...headers }
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
    this.socket.write(`${method} /v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    const answer = await this.answers?.response((start) => / (?:204|304) /.test(start)).catch(() => undefined)
    if (!answer) await this.close()
    await until('the last request is answered', () => this.practice.report().requests.at(-1)?.answer !== 'waiting', {
      everyMs: 0,
    })
    return answer
  }

  get(path: string, headers: Headers = {}) {
    return this.send('GET', path, headers)
  }

  add(key: string | undefined, pet = REX) {
    return this.send('POST', '/pets', key === undefined ? {} : { 'Idempotency-Key': key }, pet)
  }

  /** Resolves when the service has heard of it. */
  async close(): Promise<void> {
    const { socket } = this
    this.socket = undefined
    if (!socket || socket.destroyed) return
    socket.destroy()
    await once(socket, 'close')
  }
}

export type Script = (client: Client) => Promise<unknown>

/** Below the base URL. */
export function nextOf(answer: Message | undefined): string | undefined {
  return /<\/v1([^>]*)>; rel="next"/.exec(headerOf(answer?.headers ?? [], 'Link') ?? '')?.[1]
}

/** Behind a proxy of its own. */
export async function withClient(
  service: Service,
  work: (client: Client, practice: Practice) => Promise<unknown>,
): Promise<void> {
  const practice: Practice = new Practice(() => client.at)
  const proxy = await startProxy(service.url, practice.behave)
  const client = new Client(new URL(proxy.url), practice, service.key)
  await work(client, practice).finally(proxy.stop)
}
