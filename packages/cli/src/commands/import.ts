// `petstore pets import` adds the pets in a file, many at a time, in little memory. Each record has an
// Idempotency-Key from record-key.ts, so repeating an import adds only the missing records.

import { realpathSync } from 'node:fs'
import { Command, Option } from 'commander'
import { type NewPet, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { PET_STATUSES } from '../../../contract/src/generated.ts'
import { IDEMPOTENCY_HOURS_MIN } from '../../../contract/src/limits.ts'
import { type ColumnChoices, ignoredHeadings, neededColumns, parseColumnChoices } from '../../../files/src/columns.ts'
import { csv, excel } from '../../../files/src/csv.ts'
import type { ColumnPositions, SourceRecord } from '../../../files/src/format.ts'
import { RECORD_ERRORS, RecordKeys } from '../../../files/src/record-key.ts'
import { ENCODINGS, type Encoding, encodingOf } from '../../../files/src/text.ts'
import { FlagError } from '../../../service/src/config/read-config.ts'
import { type Names, nameFault } from '../../../service/src/domain/names.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'
import { randomUuid } from '../../../service/src/system/runtime.ts'
import { addCategory, namesFor, withCategory } from '../categories.ts'
import { createClient } from '../client.ts'
import { type FormatOptions, formatOf, Source, withFormat } from '../data-files.ts'
import { ImportIncomplete, Interrupted, messageOf } from '../terminal/exit-codes.ts'
import { type Progress, startProgress } from '../terminal/interaction.ts'
import { parsedBy, withClientSettings } from '../terminal/options.ts'
import { duration, grouped, plural, print, printNote } from '../terminal/print.ts'
import { firstSignal, within } from '../terminal/stop.ts'

/** Requests in flight. The service commits requests that arrive together in one transaction. */
const CONCURRENCY = 32
/** Waits about half a minute for a service that restarts. */
const RETRIES = 15
/** The time for requests in flight to end after an interruption. */
const STOP_MS = 2_000
/** Unknown categories and statuses that are counted, so that memory stays small. */
const UNKNOWN_MAX = 1_000
/** A shorter pause is not mentioned. */
const LONG_MS = 2_000

const HELP = `
If you run the same import again within ${IDEMPOTENCY_HOURS_MIN} hours, it adds only missing
records: after an interruption, or after you corrected, removed or moved
records. A record is identified by its content; equal records are counted.
Standard input has no name; set one with --as.

A byte order mark in the file overrides --encoding. Columns without a field are
ignored; HEADING= ignores one more.

Examples:
  petstore pets import pets.csv
  petstore pets import --columns "Item Name=name" --category Dogs items.csv
  petstore pets import --create-categories pets.csv
  petstore pets import --keep-going pets.ndjson
  zcat pets.ndjson.gz | petstore pets import - --format ndjson --as 'of May'`

interface ImportOptions extends FormatOptions {
  encoding?: Encoding
  columns?: ColumnChoices
  category?: bigint
  createCategories: boolean
  keepGoing: boolean
  as?: string
  again: boolean
  json: boolean
}

export function importCommand(): Command {
  const command = withClientSettings(new Command('import'))
    .description('Add the pets in a file.')
    .argument('<file>', 'CSV, .xlsx, JSON (an array) or NDJSON; - is standard input')
  withFormat(command, 'remove the apostrophes that an export with --excel adds to text')
  return withCategory(command, 'the category of records without one')
    .addOption(
      new Option('--encoding <encoding>', "the file's encoding (default: utf-8)")
        .choices(ENCODINGS)
        .argParser(parsedBy(encodingOf)),
    )
    .option(
      '--columns <pairs>',
      'assign columns, such as "Item Name=name,Kind=categoryId"',
      parsedBy(parseColumnChoices),
    )
    .option('--create-categories', 'add the categories whose names do not exist yet', false)
    .option('--keep-going', 'report each bad record and continue, instead of stopping at the first', false)
    .option('--as <name>', "the import's name (default: the file's path)")
    .addOption(new Option('--again', 'add pets again that an earlier run added').default(false).conflicts('as'))
    .option('--json', 'print the counts as JSON, for programs', false)
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions, self: Command) => {
      const { columns, category } = options
      const format = formatOf(file, options)
      if ((columns || category !== undefined) && format !== csv && format !== excel) {
        throw new FlagError('--columns and --category work only with CSV.')
      }
      const client = createClient(self, {
        retries: RETRIES,
        retryAfterMaxMs: Number.POSITIVE_INFINITY,
        onRetry: (reason, pauseMs) => run.wait(reason, pauseMs),
      })
      const source = new Source(file, options.encoding, ', or set its encoding, such as --encoding windows-1252')
      const progress = startProgress('Importing', source.bytes)
      const run = new ImportRun(client, new RecordKeys(importName(file, options)), options.keepGoing, source, progress)
      function columnsOf(headings: readonly string[]): ColumnPositions {
        const found = neededColumns(headings, columns, category !== undefined)
        const ignored = ignoredHeadings(headings, found)
        if (ignored.length > 0) progress.log(`Ignored columns: ${ignored.join(', ')}.`)
        return found
      }
      try {
        const records = format.read(source.text({ workbooks: true }), { columnsOf, category: category?.toString() })
        const add = options.createCategories
          ? (name: string) => addCategory(self, name, { retries: RETRIES })
          : undefined
        await run.all(withIds(records, () => namesFor(self, { retries: RETRIES }), add))
      } finally {
        progress.stop()
      }
      for (const [why, count] of run.unknown) if (count > 1) printNote(`${plural(count - 1, 'more record')}: ${why}`)
      const { added, present, refused } = run.counts
      if (options.json) await print(`${JSON.stringify({ added, present, refused })}\n`)
      else if (run.records === 0 && !run.interrupted) printNote(`There are no records in ${file}.`)
      else printNote(summary(run.counts))
      if (run.interrupted) throw new Interrupted('Interrupted. Run the same import again to add the rest.')
      if (refused > 0) {
        const stopped = options.keepGoing ? '' : ', and the import stopped there'
        throw new ImportIncomplete(
          `${plural(refused, 'record')} refused${stopped}. ` +
            `Correct or remove the record${refused === 1 ? '' : 's'} and run the same import again.`,
        )
      }
    })
}

/** Replaces category names by ids. Reads the names when the first record has one. `add` adds a name that is missing. */
async function* withIds(
  records: AsyncGenerator<SourceRecord>,
  read: () => Promise<Names>,
  add?: (name: string) => Promise<Names>,
) {
  let names: Names | undefined
  for await (const record of records) {
    const { pet = {}, ...rest } = record
    const name = pet.categoryId
    if (!record.problem && typeof name === 'string' && name.trim() !== '') {
      names ??= await read()
      if (add && names.idOf(name) === undefined && nameFault(name) === undefined) names = await add(name)
      const categoryId = names.idOf(name)
      if (categoryId !== undefined) yield { ...rest, pet: { ...pet, categoryId } }
      else if (names.categories.length > 0) {
        const advice = add ? '' : ' To add it, use --create-categories.'
        yield { ...rest, partly: pet, problem: `has a category that does not exist: ${name}.${advice}` }
      } else yield record
    } else yield record
  }
}

interface Counts {
  added: number
  present: number
  refused: number
}

class ImportRun {
  readonly counts: Counts = { added: 0, present: 0, refused: 0 }
  interrupted = false
  records = 0
  /** The problems of records with an unknown category or status, and the number of these records. */
  readonly unknown = new Map<string, number>()
  private stopping = false
  /** Why the import waits, as last logged. */
  private waiting: string | undefined
  /** Resolves when the problems of all records so far have been reported, in file order. */
  private reported: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly client: PetstoreClient,
    private readonly keys: RecordKeys,
    private readonly keepGoing: boolean,
    private readonly source: Source,
    private readonly progress: Progress,
  ) {}

  /**
   * Each worker takes the next record when it is free. Waits for all requests in flight, even after an error. After an
   * interruption it does not wait for input, which may never arrive, nor longer than STOP_MS for a service that is
   * unavailable or has sent a long Retry-After.
   */
  async all(records: AsyncGenerator<SourceRecord>): Promise<void> {
    const interrupted = firstSignal().then(async () => {
      this.interrupted = true
      this.stopping = true
      await within(STOP_MS, this.reported)
    })
    try {
      const workers = Array.from({ length: CONCURRENCY }, () => this.work(records))
      const ended = await Promise.race([Promise.allSettled(workers), interrupted])
      if (!ended) return
      await this.reported
      const failed = ended.find(({ status }) => status === 'rejected')
      if (failed) throw (failed as PromiseRejectedResult).reason
    } catch (error) {
      // Prints the counts before the error message, because the user needs both.
      this.progress.stop()
      printNote(summary(this.counts))
      throw error
    } finally {
      if (!this.interrupted) await records.return(undefined)
    }
  }

  private async work(records: AsyncGenerator<SourceRecord>): Promise<void> {
    while (!this.stopping) {
      try {
        const { value, done } = await records.next()
        if (done || this.stopping) return
        this.records++
        const adding = this.add(value)
        this.report(value, adding)
        await adding
      } catch (error) {
        this.stopping = true
        throw error
      }
      this.progress.update(this.source.read, plural(this.counts.added + this.counts.present, 'pet'))
    }
  }

  /** Resolves with the record's problem, if any. */
  private async add({ pet, problem }: SourceRecord): Promise<string | undefined> {
    if (!pet || problem) return this.refuse(`It ${problem}`)
    let present = false
    try {
      await this.client.createPet(pet as NewPet, {
        idempotencyKey: this.keys.next(pet),
        onReplayed: () => {
          present = true
        },
      })
      this.counts[present ? 'present' : 'added']++
      // A rate limit continues: its next wait says nothing new.
      if (this.waiting !== 'rate_limited') this.waiting = undefined
    } catch (error) {
      if (!(error instanceof PetstoreApiError && RECORD_ERRORS.includes(error.code))) throw error
      return this.refuse(error.message)
    }
  }

  /** Logs once why the import waits, and again only for another reason or after a record was added. */
  wait(reason: Error, pauseMs: number): void {
    const why = reason instanceof PetstoreApiError ? reason.code : reason.name
    const again = pauseMs < LONG_MS ? '' : ` The next attempt is in ${duration(pauseMs)}.`
    if (this.waiting !== why) this.progress.log(`Waiting: ${messageOf(reason)}${again}`)
    this.waiting = why
  }

  private refuse(why: string): string {
    this.counts.refused++
    if (!this.keepGoing) this.stopping = true
    return why
  }

  private report(record: SourceRecord, adding: Promise<string | undefined>): void {
    const { line, nth } = record
    const problem = adding.catch(() => undefined)
    this.reported = Promise.all([problem, this.reported]).then(([why]) => {
      if (why === undefined || (hasUnknownValue(record) && this.isKnown(why))) return
      this.progress.log(`line ${line}${nth ? `, record ${nth}` : ''}: ${why}`)
    })
  }

  /** Counts the problem. Returns whether an earlier record had the same one. */
  private isKnown(why: string): boolean {
    const before = this.unknown.get(why) ?? 0
    if (before > 0 || this.unknown.size < UNKNOWN_MAX) this.unknown.set(why, before + 1)
    return before > 0
  }
}

function hasUnknownValue({ pet, partly }: SourceRecord): boolean {
  const { categoryId, status } = pet ?? partly ?? {}
  return typeof categoryId === 'string' || (status !== undefined && !PET_STATUSES.some((known) => known === status))
}

function importName(file: string, { as, again }: ImportOptions): string {
  if (as !== undefined) return `name ${as}`
  return again || file === '-' ? `once ${randomUuid()}` : `file ${realpathSync(absolutePath(file))}`
}

function summary({ added, present, refused }: Counts): string {
  const parts = [`Added ${plural(added, 'pet')}.`]
  if (present > 0) parts.push(`An earlier run added ${grouped(present)} more (--again adds them again).`)
  if (refused > 0) parts.push(`Refused: ${grouped(refused)}.`)
  return parts.join(' ')
}
