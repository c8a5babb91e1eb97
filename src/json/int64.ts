// Integers from text, exactly: JSON numbers (1.0 and 1e3 are integers, as JSON Schema says) and the plain decimals of
// paths and queries.

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
const INT64_DIGITS_MAX = 19

/** The value of a JSON number's text; `fraction` or `range` when it is not an int64. */
export function int64FromJson(text: string): bigint | 'fraction' | 'range' {
  const [, sign, whole = '', decimals = '', exponent = '0'] = PARTS.exec(text) ?? []
  if (whole === '') throw new RangeError(`not a JSON number: ${text}`)
  const digits = (whole + decimals).replace(/^0+/, '')
  const significant = trimEndZeros(digits)
  if (significant === '') return 0n
  // The exponent may be any size; past 2^53 it is rounded, and refused all the same.
  const zeros = Number(exponent) - decimals.length + (digits.length - significant.length)
  if (zeros < 0) return 'fraction'
  if (significant.length + zeros > INT64_DIGITS_MAX) return 'range'
  const value = BigInt(significant + '0'.repeat(zeros)) * (sign === '-' ? -1n : 1n)
  return inRange(value) ? value : 'range'
}

const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** Not a regular expression: `0+$` looks at every run of zeros to its end. */
function trimEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--
  return digits.slice(0, end)
}

/** Plain decimal digits, a minus sign at most, no leading zero; `undefined` when it is not that or not an int64. */
export function int64FromDecimal(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return inRange(value) ? value : undefined
}

function inRange(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}
