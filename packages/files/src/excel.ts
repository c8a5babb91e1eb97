// CSV that Excel reads right and that no cell of which it runs as a formula: a byte order mark, and an apostrophe before text that Excel
// would take for one (OWASP, CSV injection). An import takes that apostrophe off again, so every name comes back as it was.

import { csv } from './csv.ts'
import type { Format } from './format.ts'

/** Text that begins so gets an apostrophe: one with an apostrophe, too, so that it is known which were added. Numbers are no text. */
const RISKY = /^[=+\-@＝＋－＠\t\r\n']/
const isRisky = (text: string) => RISKY.test(text)
const guard = (text: string) => (isRisky(text) ? `'${text}` : text)
const unguard = (text: string) => (text.startsWith("'") && isRisky(text.slice(1)) ? text.slice(1) : text)

export const excel: Format = {
  async *read(text) {
    for await (const record of csv.read(text)) {
      yield record.pet ? { ...record, pet: withTexts(record.pet, unguard) } : record
    }
  },

  async *write(items, columns) {
    yield '\ufeff'
    yield* csv.write(guarded(items), columns)
  },
}

async function* guarded(items: AsyncIterable<object>): AsyncGenerator<object> {
  for await (const item of items) yield withTexts(item, guard)
}

function withTexts<Item extends object>(item: Item, change: (text: string) => string): Item {
  const changed = Object.entries(item).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value])
  return Object.fromEntries(changed) as Item
}
