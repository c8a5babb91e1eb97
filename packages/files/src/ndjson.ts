// NDJSON: one object per line. A bad line does not affect others.

import { type JsonError, parseJson, stringifyJson } from '../../contract/src/json.ts'
import { FIELDS, type Format, type SourceRecord } from './format.ts'

/** The limit of characters in a record. The service's own limit is smaller. */
export const RECORD_MAX = 256 * 1024

export const ndjson: Format = {
  async *read(text) {
    let [line, rest, tooLong] = [1, '', false]
    for await (const chunk of text) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) {
        yield* recordOf(tooLong || each.length > RECORD_MAX ? undefined : each, line++)
        tooLong = false
      }
      if (rest.length > RECORD_MAX) [rest, tooLong] = ['', true]
    }
    yield* recordOf(tooLong ? undefined : rest, line)
  },

  async *write(items) {
    for await (const item of items) yield `${stringifyJson(item)}\n`
  },
}

function* recordOf(text: string | undefined, line: number): Generator<SourceRecord> {
  if (text === undefined) yield { line, problem: 'is too long.' }
  else if (text.trim() !== '') yield readRecord(text, line)
}

/** Reads a JSON text as a record. Numbers keep all their digits. */
export function readRecord(text: string, line: number): SourceRecord {
  try {
    const value = parseJson(text.replace(/^\ufeff/, ''))
    if (!(value instanceof Map)) return { line, problem: 'is not a JSON object.' }
    return { line, pet: Object.fromEntries(FIELDS.map((field) => [field, value.get(field)])) }
  } catch (error) {
    return { line, problem: `is not valid JSON: ${(error as JsonError).message}.` }
  }
}

export function newlines(text: string): number {
  return text.split('\n').length - 1
}
