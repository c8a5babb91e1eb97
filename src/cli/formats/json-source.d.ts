// JSON.parse source text access (ECMAScript 2026), which TypeScript's own declarations do not have yet.

interface JSON {
  parse(text: string, reviver: (name: string, value: unknown, context: { source: string }) => unknown): unknown
  /** A value that is written as this text. */
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}
