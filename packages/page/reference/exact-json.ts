// Makes JSON exact. The reference's library passes a response through JSON.parse and JSON.stringify, which rounds
// integers beyond 2^53. The patched JSON.parse keeps their digits for JSON.stringify.

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

interface ExactJson {
  parse: (text: string, reviver?: Reviver) => unknown
  /** Not in every browser yet; without it, integers are rounded. */
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
