// JSON: one array of any length. The reader finds where each element starts and ends, and reads the element as
// NDJSON reads a line.

import { StartError } from '../../domain/errors.ts'
import { stringifyJson } from '../../json/json.ts'
import type { Format, SourceRecord } from './format.ts'
import { RECORD_MAX, readRecord } from './ndjson.ts'

export const json: Format = {
  async *read(text) {
    const splitter = new ArraySplitter()
    for await (const chunk of text) yield* splitter.take(chunk)
    splitter.end()
  },

  write: stringifyJsonArray,
}

/** One element a line. */
export async function* stringifyJsonArray(items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '['
  for await (const item of items) {
    yield `${before}\n${stringifyJson(item)}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

class ArraySplitter {
  private line = 1
  /** 0 outside the array, 1 between its elements. */
  private depth = 0
  private inString = false
  private escaped = false
  private started = false
  private ended = false
  private element = ''
  private elementLine = 1
  private elements = 0

  end(): void {
    if (!this.started) throw new StartError('There is no JSON array: the file is empty.')
    if (!this.ended) throw this.broken('is the end of the file, but the array has not ended')
  }

  *take(chunk: string): Generator<SourceRecord> {
    // Where the current element starts in this chunk.
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk[at] as string
      if (character === '\n') this.line++
      if (this.inString) this.insideString(character)
      else if (this.depth === 0) {
        this.outside(character)
        from = at + 1
      } else if (this.depth === 1 && (character === ',' || character === ']')) {
        this.element += chunk.slice(from, at)
        yield* this.finish(character === ']')
        from = at + 1
      } else this.inside(character)
    }
    if (this.depth > 0) this.element += chunk.slice(from)
    if (this.element.length > RECORD_MAX) throw this.broken('has a record that is too long')
  }

  private insideString(character: string): void {
    if (this.escaped) this.escaped = false
    else if (character === '\\') this.escaped = true
    else if (character === '"') this.inString = false
  }

  private outside(character: string): void {
    if (/\s/.test(character)) return
    this.started = true
    if (this.ended) throw this.broken('has text after the end of the array')
    if (character !== '[') throw this.broken('does not start an array: for one object a line, use --format ndjson')
    this.depth = 1
    this.elementLine = this.line
  }

  private inside(character: string): void {
    if (character === '"') this.inString = true
    else if (character === '{' || character === '[') this.depth++
    else if (character === '}' || character === ']') this.depth--
  }

  private *finish(last: boolean): Generator<SourceRecord> {
    const text = this.element
    const blank = text.trim() === ''
    const linesBefore = text.slice(0, text.length - text.trimStart().length).split('\n').length - 1
    // `[]` has no element; anywhere else an empty element is an error.
    if (!(last && blank && this.elements === 0)) yield readRecord(text, this.elementLine + linesBefore)
    this.elements++
    this.element = ''
    this.elementLine = this.line
    if (last) [this.depth, this.ended] = [0, true]
  }

  private broken(what: string): StartError {
    return new StartError(`Line ${this.line} ${what}. The records before it were imported.`)
  }
}
