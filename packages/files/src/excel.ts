// Adapts CSV for Excel: the separator of its language, and an apostrophe before text that it would run as a formula
// (OWASP, CSV injection). An import removes the apostrophes, so every name survives a round trip.

/**
 * Text that starts like this gets an apostrophe. That includes text with an apostrophe, so that an import knows which
 * ones were added.
 */
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

/** `locale` defaults to the browser's language. */
export function listSeparator(locale?: string): string {
  return new Intl.NumberFormat(locale).format(0.5).includes(',') ? ';' : ','
}
