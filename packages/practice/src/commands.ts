// The commands of practice for any language: JSON lines with one member, such as {"lie": "pets.list.limit.maximum"}.

import { durationMs } from './clock.ts'
import type { Practice } from './practice.ts'

interface PracticeKey {
  readOnly: boolean
  /** By the clock of practice, in milliseconds since 1970. */
  expiresAt: number | undefined
}

/** Creates an API key in the service, and resolves with its text. */
export type CreateKey = (key: PracticeKey) => Promise<string>

type Command = (practice: Practice, given: unknown, createKey: CreateKey) => unknown

const COMMANDS: Readonly<Record<string, Command>> = {
  lie: (practice, breaks) => practice.lie(String(breaks)),
  fail: (practice, fault) => practice.fail(fault),
  lies: (practice) => practice.lies(),
  report: (practice) => practice.report(),
  async createKey(practice, given, createKey) {
    const { reported, ...key } = keyOf(given, practice.clock.now())
    const text = await createKey(key)
    if (!reported) practice.leaveOut(text)
    return text
  },
  'clock.advance': ({ clock }, duration) => clock.advance(String(duration)),
  'clock.set': ({ clock }, instant) => clock.set(String(instant)),
}

/** Resolves with a line of JSON without its line end: {"result": …}, or {"error": …} with a sentence for the user. */
export async function answerTo(line: string, practice: Practice, createKey: CreateKey): Promise<string> {
  try {
    const [name = '', given] = memberOf(line)
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (!command) throw new Error(`There is no command ${name}. Commands: reset, ${Object.keys(COMMANDS).join(', ')}.`)
    return JSON.stringify({ result: (await command(practice, given, createKey)) ?? null })
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message })
  }
}

function keyOf(given: unknown, now: number): PracticeKey & { reported: boolean } {
  if (!(given instanceof Object)) throw new Error('A key is an object, such as {"expires": "90d"}.')
  const { expires, readOnly = false, reported = true, ...others } = given as Record<string, unknown>
  const [other] = Object.keys(others)
  if (other !== undefined) throw new Error(`A key has no ${other}. It can have expires, readOnly, reported.`)
  if (typeof readOnly !== 'boolean') throw new Error('readOnly must be true or false.')
  if (typeof reported !== 'boolean') throw new Error('reported must be true or false.')
  return { readOnly, reported, expiresAt: expires === undefined ? undefined : now + durationMs(String(expires)) }
}

function memberOf(line: string): [name: string, given: unknown] {
  let command: unknown
  try {
    command = JSON.parse(line)
  } catch {
    // The error below covers invalid JSON, too.
  }
  const [member, ...others] = command instanceof Object ? Object.entries(command) : []
  if (member && others.length === 0) return member
  throw new Error('A command is reset, or an object with one member, such as {"lies": true}.')
}
