// Exact int64 out of and into JSON, in every JavaScript: JSON.parse rounds what is beyond 2^53, and not every browser
// lets a reviver see a number's text. So each number is quoted before it is parsed, marked by a character that no text of
// the service can hold (U+0000), and read by who knows its type.

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g
const MARK = '\0'

/** A value as JSON.parse gives it, but numbers are text behind a mark: `int64` and `int32` read them. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(TOKENS, (token) => (token.startsWith('"') ? token : markedNumber(token))))
}

function markedNumber(token: string): string {
  JSON.parse(token)
  return `"\\u0000${token}"`
}

/** Throws SyntaxError when it is not an integer. */
export function int64(value: unknown): bigint {
  const text = numberText(value)
  if (/^-?[0-9]+$/.test(text)) return BigInt(text)
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new SyntaxError(`not an exact integer: ${text}`)
  return BigInt(number)
}

export function int32(value: unknown): number {
  return Number(numberText(value))
}

function numberText(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith(MARK)) throw new SyntaxError('a number was expected')
  return value.slice(MARK.length)
}

/** An object without nesting as JSON; bigint becomes a number with all its digits, undefined is left out. */
export function stringifyFlat(object: object): string {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined)
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${literal(value)}`).join(',')}}`
}

function literal(value: unknown): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}
