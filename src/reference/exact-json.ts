// Makes this page's JSON exact. The reference's library shows an answer as JSON.parse and JSON.stringify give it, which
// rounds every integer beyond 2^53; with this, such an integer keeps its digits from one to the other.

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

interface ExactJson {
  parse: (text: string, reviver?: Reviver) => unknown
  /** Not in every browser yet; where it is not, numbers stay as the browser has them. */
  rawJSON?: (text: string) => unknown
}

export function makeJsonExact(json: ExactJson): void {
  const { parse, rawJSON } = json
  if (!rawJSON) return
  json.parse = (text, reviver) =>
    parse(text, function (this: unknown, key, value, context) {
      const exact = isRounded(value, context.source) ? rawJSON(context.source) : value
      return reviver ? reviver.call(this, key, exact, context) : exact
    })
}

function isRounded(value: unknown, source: string | undefined): source is string {
  return typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?[0-9]+$/.test(source)
}
