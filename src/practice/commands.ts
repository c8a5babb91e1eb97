// The commands of practice as lines of JSON, for any language: an object with one member, such as {"lie": "pets.list.limit.max"}.

import type { Practice } from './practice.ts'

type Command = (practice: Practice, given: unknown) => unknown

const COMMANDS: Readonly<Record<string, Command>> = {
  lie: (practice, breaks) => practice.lie(String(breaks)),
  fail: (practice, fault) => practice.fail(fault),
  lies: (practice) => practice.lies(),
  'clock.advance': ({ clock }, duration) => clock.advance(String(duration)),
  'clock.set': ({ clock }, instant) => clock.set(String(instant)),
}

/** A line of JSON without its end: {"result": …}, or {"error": …} with a sentence for the user. */
export function answerTo(line: string, practice: Practice): string {
  try {
    const [name = '', given] = memberOf(line)
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (!command) throw new Error(`There is no command ${name}. There are: reset, ${Object.keys(COMMANDS).join(', ')}.`)
    return JSON.stringify({ result: command(practice, given) ?? null })
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message })
  }
}

function memberOf(line: string): [name: string, given: unknown] {
  let command: unknown
  try {
    command = JSON.parse(line)
  } catch {
    // Answered below.
  }
  const [member, ...others] = command instanceof Object ? Object.entries(command) : []
  if (member && others.length === 0) return member
  throw new Error('A command is reset, or an object with one member, such as {"lies": true}.')
}
