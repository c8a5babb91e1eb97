// Replaces the driver `pg` in the bundle of simulated servers. Each connection leads to a simulated database host
// (instance.ts) in the scheduler's thread.

import { EventEmitter } from 'node:events'
import { DatabaseError } from 'pg-protocol'
import { connectDriver } from '../process.ts'
import type { FromDatabase, Rows, ToDatabase } from './messages.ts'

interface Options {
  readonly host: string
  readonly port: number
  readonly types: { getTypeParser(oid: number): (text: string) => unknown }
}

const open = new Map<number, Driver>()
let count = 0
let sendOut: ((message: unknown) => void) | undefined

/** Not when this module is loaded, because process.ts is loaded later. */
function send(message: ToDatabase): void {
  sendOut ??= connectDriver((received) => {
    const { connection } = received as FromDatabase
    open.get(connection)?.receive(received as FromDatabase)
  })
  sendOut(message)
}

export default class Driver extends EventEmitter {
  /** The process number of the database's only real session (engine.ts). */
  processID: number | null = null
  getStartupConf: () => Record<string, string> = () => ({})
  readonly connection = {
    stream: { destroy: () => this.lose() },
    parsedStatements: {},
    close() {},
  }
  private readonly number = ++count
  private waiting: PromiseWithResolvers<Rows>[] = []

  constructor(private readonly options: Options) {
    super()
  }

  async connect(): Promise<this> {
    open.set(this.number, this)
    const { host } = this.options
    const statementTimeoutMs = Number(this.getStartupConf().statement_timeout)
    await this.ask({ connection: this.number, open: { host, statementTimeoutMs } })
    return this
  }

  async query({ text, values }: { text: string; values: readonly unknown[] }) {
    const sent = values.map((value) => (value === null || value === undefined ? null : String(value)))
    const { command, fields, rows } = await this.ask({ connection: this.number, text, values: sent })
    const { getTypeParser } = this.options.types
    const parse = (row: readonly (string | null)[]) =>
      fields.map(([name, oid], place) => {
        const value = row[place] ?? null
        return [name, value === null ? null : getTypeParser(oid)(value)]
      })
    return { command, rows: rows.map((row) => Object.fromEntries(parse(row))) }
  }

  end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!open.has(this.number)) return Promise.resolve()
    this.once('end', resolve)
    send({ connection: this.number, ends: true })
    return promise
  }

  receive(message: FromDatabase): void {
    if ('opened' in message) {
      this.processID = message.opened
      this.waiting.shift()?.resolve({ command: '', fields: [], rows: [] })
    } else if ('rows' in message) this.waiting.shift()?.resolve(message.rows)
    else if ('failed' in message) this.waiting.shift()?.reject(errorOf(message.failed))
    else if ('notice' in message) this.emit('notice', { routine: message.notice })
    else {
      const isUnexpected = this.waiting.length > 0
      this.lose(message.ended)
      if (isUnexpected) this.emit('error', new Error('Connection terminated unexpectedly'))
    }
  }

  private ask(message: ToDatabase): Promise<Rows> {
    if (!open.has(this.number)) return Promise.reject(new Error('Client was closed and is not queryable'))
    const waiting = Promise.withResolvers<Rows>()
    this.waiting.push(waiting)
    send(message)
    return waiting.promise
  }

  private lose(code?: string): void {
    if (!open.delete(this.number)) return
    send({ connection: this.number, ends: true })
    const error = Object.assign(new Error('Connection terminated'), code ? { code } : {})
    for (const { reject } of this.waiting.splice(0)) reject(error)
    this.emit('end')
  }
}

function errorOf({ message, ...fields }: { message: string }): Error {
  return Object.assign(new DatabaseError(message, message.length, 'error'), fields)
}
