// Reads 64-bit integers exactly: from JSON numbers (1.0 and 1e3 are integers, as in JSON Schema) and from the decimal digits of paths and
// queries.

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n
const INT64_DIGITS_MAX = 19

/** The value of a JSON number's text; `fraction` or `range` when it is not an int64. */
export function int64FromJson(text: string): bigint | 'fraction' | 'range' {
  if (text.length < INT64_DIGITS_MAX && PLAIN.test(text)) return BigInt(text)
  const [, sign, whole = '', decimals = '', exponent = '0'] = PARTS.exec(text) ?? []
  if (whole === '') throw new RangeError(`not a JSON number: ${text}`)
  const digits = (whole + decimals).replace(/^0+/, '')
  const significant = trimEndZeros(digits)
  if (significant === '') return 0n
  // The exponent may have any size. Above 2^53 it is rounded, and out of range anyway.
  const zeros = Number(exponent) - decimals.length + (digits.length - significant.length)
  if (zeros < 0) return 'fraction'
  if (significant.length + zeros > INT64_DIGITS_MAX) return 'range'
  const value = BigInt(significant + '0'.repeat(zeros)) * (sign === '-' ? -1n : 1n)
  return inRange(value) ? value : 'range'
}

/** What nearly all numbers are. */
const PLAIN = /^[0-9]+$/
const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** Not by a regular expression: `0+$` would take quadratic time. */
function trimEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--
  return digits.slice(0, end)
}

/** Decimal digits without a leading zero, with an optional minus sign; `undefined` for any other text, and out of range. */
export function int64FromDecimal(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return inRange(value) ? value : undefined
}

function inRange(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}
