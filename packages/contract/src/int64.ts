// Reads 64-bit integers exactly: from JSON numbers (1.0 and 1e3 are integers, as in JSON Schema), and from decimal
// digits in paths and queries.

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n
const INT64_DIGITS_MAX = 19
/** What `int64FromDecimal` accepts, for messages. */
export const INT64_EXPECTED = 'a 64-bit integer in decimal digits'

/** Returns the value of a JSON number's text, or `fraction` or `range` if it is not an int64. */
export function int64FromJson(text: string): bigint | 'fraction' | 'range' {
  if (text.length < INT64_DIGITS_MAX && PLAIN.test(text)) return BigInt(text)
  const [, sign, whole = '', decimals = '', exponent = '0'] = PARTS.exec(text) ?? []
  if (whole === '') throw new RangeError(`not a JSON number: ${text}`)
  const digits = (whole + decimals).replace(/^0+/, '')
  const significant = trimEndZeros(digits)
  if (significant === '') return 0n
  // An exponent above 2^53 is rounded here, but is out of range anyway.
  const zeros = Number(exponent) - decimals.length + (digits.length - significant.length)
  if (zeros < 0) return 'fraction'
  if (significant.length + zeros > INT64_DIGITS_MAX) return 'range'
  const value = BigInt(significant + '0'.repeat(zeros)) * (sign === '-' ? -1n : 1n)
  return inRange(value) ? value : 'range'
}

/** Matches nearly all numbers. */
const PLAIN = /^[0-9]+$/
const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** Not a regular expression, because `0+$` takes quadratic time. */
function trimEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--
  return digits.slice(0, end)
}

/** Reads decimal digits without leading zeros, with an optional minus sign. Returns `undefined` for any other text. */
export function int64FromDecimal(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return inRange(value) ? value : undefined
}

function inRange(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}
