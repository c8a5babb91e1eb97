// What Excel expects of a CSV: the separator of its language, and an apostrophe before each text that it would run as a formula (OWASP, CSV
// injection). An import takes that apostrophe off again, so every name comes back as it was.

/** Text that begins so gets an apostrophe: one with an apostrophe, too, so that it is known which were added. Numbers are no text. */
const RISKY = /^[=+\-@＝＋－＠\t\r\n']/
const isRisky = (text: string) => RISKY.test(text)

export async function* guarded(items: AsyncIterable<object>): AsyncGenerator<object> {
  for await (const item of items) yield withTexts(item, (text) => (isRisky(text) ? `'${text}` : text))
}

export function unguarded<Item extends object>(item: Item): Item {
  return withTexts(item, (text) => (text.startsWith("'") && isRisky(text.slice(1)) ? text.slice(1) : text))
}

function withTexts<Item extends object>(item: Item, change: (text: string) => string): Item {
  const changed = Object.entries(item).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value])
  return Object.fromEntries(changed) as Item
}

/** `locale` is a language, by default the browser's. */
export function listSeparator(locale?: string): string {
  return new Intl.NumberFormat(locale).format(0.5).includes(',') ? ';' : ','
}
