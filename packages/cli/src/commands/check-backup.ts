// `petstore check-backup` checks whether a backup can be restored, and up to which moment. It has separate exit
// statuses, for use after each backup.

import { Command } from 'commander'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { markOf } from '../../../service/src/domain/events.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { gauge } from '../../../service/src/observability/text-format.ts'
import type { LastEvent } from '../../../service/src/store/kinds.ts'
import { wallMs } from '../../../service/src/system/runtime.ts'
import { createClient } from '../client.ts'
import { lowerPriority } from '../low-priority.ts'
import { messageOf, NotExamined } from '../terminal/exit-codes.ts'
import { clientConfigOf, withClientSettings } from '../terminal/options.ts'
import { writeFile } from '../terminal/output-file.ts'
import { duration, printLines } from '../terminal/print.ts'
import { counted, filesOf } from './backup.ts'

/** The backup has all events of the service. */
export const COPY_HAS_ALL = 'The service has that event, and none after it.'

export function checkBackupCommand(): Command {
  return withClientSettings(new Command('check-backup'))
    .description('Check whether a backup can be restored, and up to which moment. Changes nothing.')
    .argument('<file>', 'a backup, or a copy restored by another program, such as Litestream')
    .option('--metrics <file>', 'if the backup is good, write its time here, for a textfile collector')
    .addHelpText(
      'after',
      `
Checks the file, its schema, its counts and its event feed. With --url or
PETSTORE_URL, and a key, it also checks whether the service has the backup's
last event, and which event came after it.

Example:
  petstore check-backup copy.db --url http://127.0.0.1:8080/v1 \\
    --metrics copy.prom

Exit statuses:
  0  the backup is good
  1  the backup is damaged, or from another store
  2  the backup could not be checked, or a flag is wrong`,
    )
    .action(async (file: string, { metrics }: { metrics?: string }, self: Command) => {
      lowerPriority()
      const { fault, last, ...contents } = await couldBe(async () => filesOf(file).check(file))
      if (fault !== undefined) throw new StartError(`${file} ${fault}. Do not restore it.`)
      const service = await couldBe(async () => (clientConfigOf(self).url ? compare(file, last, self) : undefined))
      const goodUntil = service?.goodUntil ?? last?.at
      if (metrics !== undefined && goodUntil !== undefined)
        await couldBe(() => writeFile(metrics, [metricsOf(goodUntil)]))
      await printLines(`${file} is good${last ? upTo(last) : ''}: ${counted(contents)}.`)
      if (service) await printLines(service.sentence)
    })
}

/** Resolves with the result of `work`. Throws NotExamined for all errors except NotEqual. */
async function couldBe<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NotEqual) throw error
    throw new NotExamined(messageOf(error), { cause: error })
  }
}

class NotEqual extends StartError {}

/** Compares the backup with the service. Throws NotEqual if the service does not have the backup's last event. */
async function compare(file: string, last: LastEvent | undefined, command: Command) {
  const client = createClient(command)
  const askedAt = wallMs()
  const reached = ({ id }: { id: bigint }) => last === undefined || id >= last.id
  let page = await client.listEvents({ ...(last && { from: new Date(last.at).toISOString() }), limit: PAGE_MAX })
  while (page.events.length > 0 && !page.events.some(reached))
    page = await client.listEvents({ limit: PAGE_MAX, cursor: page.next })
  const events = page.events.filter(reached)
  if (last) {
    const event = events.shift()
    if (event?.id !== last.id || markOf({ ...event, at: Date.parse(event.at) }) !== last.mark) {
      throw new NotEqual(
        `The service does not have event ${last.id} of ${file}: ` +
          'the backup is from another store, or the store was set back.',
      )
    }
  }
  const next = events[0] ?? (await client.listEvents({ limit: 1, cursor: page.next })).events[0]
  const start = last ? 'The service has that event' : 'The backup has no event'
  if (next === undefined) {
    const sentence = last ? COPY_HAS_ALL : 'Neither the backup nor the service has an event.'
    return { goodUntil: askedAt, sentence }
  }
  const goodUntil = Date.parse(next.at)
  return { goodUntil, sentence: `${start}. The first one after it is ${age(goodUntil)} old.` }
}

function upTo({ id, at }: LastEvent): string {
  return ` up to event ${id}, of ${new Date(at).toISOString()}, ${age(at)} ago`
}

const age = (at: number) => duration(wallMs() - at, 1)

/** Returns the metric in Prometheus' text format. */
export function metricsOf(goodUntil: number): string {
  return gauge(
    'petstore_copy_good_until_seconds',
    'A checked backup has all changes acknowledged before this time, in seconds since 1970.',
    goodUntil / 1000,
  )
}
