// Exact JSON for the client, the page and the command line. JSON.parse rounds integers beyond 2^53, not every browser
// shows a reviver the text of a number, and JSON.stringify throws on a bigint.

/** A number as it is written; whoever knows its type reads its value. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g
/** Marks a number while JSON.parse reads it as a string. A string that begins with this character gets a second one. */
const MARK = '\0'
const WRITTEN_MARK = '\\u0000'

/** Like JSON.parse, but each number becomes a JsonNumber. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(TOKENS, markNumber), (_name, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? unmark(value.slice(MARK.length)) : value,
  )
}

function markNumber(token: string): string {
  if (!token.startsWith('"')) return `"${WRITTEN_MARK}${validNumber(token)}"`
  return token.startsWith(WRITTEN_MARK, 1) ? `"${WRITTEN_MARK}${token.slice(1)}` : token
}

function validNumber(token: string): string {
  JSON.parse(token)
  return token
}

function unmark(text: string): JsonNumber | string {
  return text.startsWith(MARK) ? text : new JsonNumber(text)
}

/** Throws SyntaxError when the value is not a JsonNumber with an exact integer. */
export function int64(value: unknown): bigint {
  if (!(value instanceof JsonNumber)) throw new SyntaxError('expected a number')
  if (/^-?[0-9]+$/.test(value.text)) return BigInt(value.text)
  const number = Number(value.text)
  if (!Number.isSafeInteger(number)) throw new SyntaxError(`not an exact integer: ${value.text}`)
  return BigInt(number)
}

/** Like JSON.stringify, but a bigint becomes a number with all its digits, and a JsonNumber stays as it was written. */
export function stringifyJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return `[${value.map((item) => stringifyJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${stringifyJson(field)}`).join(',')}}`
}
