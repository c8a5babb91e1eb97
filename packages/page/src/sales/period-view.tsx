// The sales of several days: three figures, a chart, and sums by day, till and category, to print or export.

import { useEffect, useRef, useState } from 'preact/hooks'
import { exportRows } from '../files/export.ts'
import { Link } from '../links.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import { names } from '../names.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { Button } from '../parts/button.tsx'
import { today } from '../parts/clock.ts'
import { useLoaded } from '../parts/loaded.ts'
import { Name } from '../parts/name.tsx'
import { RetryNotice } from '../parts/notice.tsx'
import { plain } from '../parts/visible-text.ts'
import { number } from '../phrases.ts'
import { Figures, SUM_HEADS, SumRow, Table } from './day-report.tsx'
import { daysFrom, Period, type Sum, type Sums } from './period.ts'

interface PeriodViewProps extends Service {
  /** Must not change; other days need another component. */
  day: string
  to: string
}

export function PeriodView({ client, feed, day, to }: PeriodViewProps) {
  const announce = useAnnounce()
  const [days] = useState(() => daysFrom(day, to))
  const [period, setPeriod] = useState(() => new Period(client, days))
  const [stopped, setStopped] = useState(false)
  const stop = useRef(new AbortController())
  const { failure, reload } = useLoaded(
    async (signal) => {
      await feed.begun
      stop.current = new AbortController()
      if (!stopped) await period.read(AbortSignal.any([signal, stop.current.signal]))
    },
    [period, stopped],
  )
  useEvents(feed, (events, gap) => {
    if (gap) setPeriod(new Period(client, days))
    else period.see(events)
  })
  const { isDone } = period
  useEffect(() => {
    if (isDone) announce(`${number(sums.all.sold)} sold, ${number(sums.all.takenBack)} taken back.`)
  }, [isDone])
  const sums = period.sums.value
  const title = new Intl.DateTimeFormat([], { dateStyle: 'medium' }).formatRange(noonOf(day), noonOf(to))

  async function save(): Promise<void> {
    await exportRows(exportOf(sums, days), ['', 'Sold', 'Taken back', 'Net'], `sales ${day} to ${to}.csv`)
    announce('The sums were exported.')
  }

  return (
    <section class="close" aria-labelledby="close" aria-busy={!isDone}>
      <p class="print-title" data-text={`${plain(names().store)} · ${location.host}`} />
      <div class="title-row">
        <h2 id="close" translate={false}>
          {title}
        </h2>
        <div class="title-actions">
          <Button text="Export" class="quiet" aria-disabled={!isDone} onClick={() => isDone && save()} />
          <Button text="Print" class="quiet" aria-disabled={!isDone} onClick={() => isDone && print()} />
        </div>
      </div>
      {failure && <RetryNotice {...{ failure, reload }} title="Not all sales could be read." />}
      {!isDone && (
        <div class="actions reading">
          <progress aria-label="Reading the sales" value={period.progress} />
          {stopped && <p>Not all sales are counted.</p>}
          <Button
            text={stopped ? 'Continue' : 'Stop'}
            onClick={() => {
              stop.current.abort()
              setStopped(!stopped)
            }}
          />
        </div>
      )}
      <Figures {...sums.all} />
      <Chart {...{ days, sums }} />
      {TABLES.map(([label, rows]) => (
        <Table key={label} kind="totals" label={`Sums by ${label.toLowerCase()}`} heads={[label, ...SUM_HEADS]}>
          {rows(sums, days).map(([key, name, sum]) => (
            <SumRow
              key={key}
              sum={sum}
              name={
                label === 'Day' ? (
                  <Link to={{ kind: 'sales', day: key < today.value ? key : undefined }}>{name}</Link>
                ) : (
                  <Name name={name} />
                )
              }
            />
          ))}
        </Table>
      ))}
    </section>
  )
}

type Row = readonly [key: string, name: string, sum: Sum]

const TABLES: readonly (readonly [label: string, rows: (sums: Sums, days: readonly string[]) => Row[]])[] = [
  ['Till', ({ byTill }) => named(byTill, plain)],
  ['Category', ({ byCategory }) => named(byCategory, (id) => (id ? names().nameOf(BigInt(id)) : 'Not known'))],
  [
    'Day',
    ({ byDay }, days) => days.filter((day) => byDay.has(day)).map((day) => [day, shortDay(day), byDay.get(day) as Sum]),
  ],
]

function named(sums: ReadonlyMap<string, Sum>, nameOf: (key: string) => string): Row[] {
  const rows = Array.from(sums, ([key, sum]) => [key, nameOf(key), sum] as const)
  return rows.sort(([, one], [, other]) => one.localeCompare(other, undefined, { numeric: true }))
}

function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00`)
}

function shortDay(day: string): string {
  return noonOf(day).toLocaleDateString([], { weekday: 'short', day: 'numeric', month: 'short' })
}

/** The tables as on the screen, one below the other. */
function* exportOf(sums: Sums, days: readonly string[]) {
  const line = (name: string, { sold, takenBack }: Sum) => ({
    '': name,
    Sold: sold,
    'Taken back': takenBack,
    Net: sold - takenBack,
  })
  yield line('All', sums.all)
  for (const [label, rows] of TABLES) {
    yield { '': `By ${label.toLowerCase()}` }
    for (const [key, name, sum] of rows(sums, days)) yield line(label === 'Day' ? key : name, sum)
  }
}

const HEIGHT = 100
const BAR = 10
/** With fewer days, the bars do not become wider. */
const DAYS_MIN = 14

/** Screen readers have the table of days. */
function Chart({ days, sums: { byDay } }: { days: readonly string[]; sums: Sums }) {
  const most = Math.max(1, ...Array.from(byDay.values(), ({ sold }) => sold))
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${Math.max(days.length, DAYS_MIN) * BAR} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {days.map((day, at) => {
        const { sold = 0 } = byDay.get(day) ?? {}
        const height = (sold / most) * HEIGHT
        return (
          <rect key={day} x={at * BAR + 1} y={HEIGHT - height} width={BAR - 2} height={height}>
            <title>{`${shortDay(day)}: ${number(sold)}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}
