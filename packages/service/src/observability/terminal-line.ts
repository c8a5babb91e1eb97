// A line of the log for people at a terminal: the time of day, how severe it is, the message, and its fields. An error follows
// with its stack, and its causes.

import { styleText } from 'node:util'
import { wallMs } from '../system/runtime.ts'
import { printable } from './printable.ts'

const COLOURS = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const

export function terminalLine(
  level: keyof typeof COLOURS,
  { err, ...fields }: Record<string, unknown>,
  message: string,
): string {
  const styled = (style: 'dim' | (typeof COLOURS)[keyof typeof COLOURS], text: string) =>
    styleText(style, text, { stream: process.stderr })
  const time = new Date(wallMs()).toTimeString().slice(0, 8)
  const named = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : printable(`${name}=${shown(value)}`),
  )
  const first = [
    styled('dim', time),
    styled(COLOURS[level], level.padEnd(5)),
    printable(message),
    styled('dim', named.join(' ')),
  ]
  return `${[first.join(' ').trimEnd(), ...stackOf(err)].join('\n')}\n`
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : (JSON.stringify(value) ?? '')
}

function stackOf(thrown: unknown): string[] {
  if (thrown === undefined) return []
  const { stack = String(thrown), cause } = thrown instanceof Error ? thrown : {}
  return [...stack.split('\n').map((line) => `    ${printable(line.trim())}`), ...stackOf(cause)]
}
