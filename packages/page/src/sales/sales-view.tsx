// The sales of one day, and everything that happened on it.

import { useContext, useMemo, useState } from 'preact/hooks'
import { dayFrom, isDay, spanOf } from '../../../files/src/local-time.ts'
import type { SalesPosition } from '../address.ts'
import { Places } from '../links.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import { useOrders } from '../orders/holders.ts'
import { Button } from '../parts/button.tsx'
import { today } from '../parts/clock.ts'
import { Heading } from '../parts/heading.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Notice, RetryNotice } from '../parts/notice.tsx'
import { time } from '../phrases.ts'
import { withoutDirect } from '../record/history.ts'
import { DayActivity } from './day-activity.tsx'
import { DayLog, readClockAhead, SALES } from './day-log.ts'
import { DayReport } from './day-report.tsx'
import { PeriodView } from './period-view.tsx'

const LINES = 100

const PRESETS = {
  today: 'Today',
  yesterday: 'Yesterday',
  week: 'This week',
  month: 'This month',
  days: 'Other days',
} as const
type Preset = keyof typeof PRESETS

/** The first and the last day; the week begins on Monday. */
export function daysOf(preset: Exclude<Preset, 'days'>, today: string): [day: string, to: string] {
  const weekday = (new Date(`${today}T12:00:00`).getDay() + 6) % 7
  if (preset === 'yesterday') return [dayFrom(today, -1), dayFrom(today, -1)]
  if (preset === 'week') return [dayFrom(today, -weekday), today]
  return preset === 'month' ? [`${today.slice(0, 8)}01`, today] : [today, today]
}

function presetOf(day: string, to: string): Preset {
  const fits = (['today', 'yesterday', 'week', 'month'] as const).find(
    (preset) => daysOf(preset, today.value).join() === `${day},${to}`,
  )
  return fits ?? 'days'
}

export function SalesView({ position, ...service }: Service & { position: SalesPosition }) {
  const { go } = useContext(Places)
  const day = position.day ?? today.value
  const to = position.to ?? day
  const [isChoosing, setIsChoosing] = useState(false)
  const show = (first: string, last: string) => {
    const isToday = first >= today.value
    go({ ...position, day: isToday ? undefined : first, to: last > first && !isToday ? last : undefined })
  }
  const days = isChoosing || to > day ? 'days' : 'day'
  return (
    <>
      <div class="title-row">
        <Heading>Sales</Heading>
        <div class="title-actions day-choice">
          <select
            aria-label="Days"
            value={isChoosing ? 'days' : presetOf(day, to)}
            onChange={({ currentTarget: { value } }) => {
              setIsChoosing(value === 'days')
              if (value !== 'days') show(...daysOf(value as Exclude<Preset, 'days'>, today.value))
            }}
          >
            {Object.entries(PRESETS).map(([preset, label]) => (
              <option key={preset} value={preset}>
                {label}
              </option>
            ))}
          </select>
          {days === 'day' && <Button text="←" onClick={() => show(dayFrom(day, -1), '')} aria-label="Previous day" />}
          <DayInput
            label={days === 'day' ? 'Day' : 'First day'}
            value={day}
            onChange={(first) => show(first, days === 'days' ? to : '')}
          />
          {days === 'days' ? (
            <DayInput label="Last day" value={to} onChange={(last) => show(day, last)} />
          ) : (
            <Button
              text="→"
              onClick={() => show(dayFrom(day, 1), '')}
              aria-disabled={day >= today.value}
              aria-label="Next day"
            />
          )}
        </div>
      </div>
      {to > day ? (
        <PeriodView key={`${day} ${to}`} {...{ ...service, day, to }} />
      ) : (
        <Day key={day} {...{ ...service, position, day }} isFuture={day > today.value} />
      )}
    </>
  )
}

interface DayInputProps {
  label: string
  value: string
  onChange: (day: string) => void
}

/** While a year is typed, the field has the years 2, 20 and 202. */
function DayInput({ label, value, onChange }: DayInputProps) {
  return (
    <input
      type="date"
      aria-label={label}
      value={value}
      max={today.value}
      onChange={({ currentTarget: { value } }) => isDay(value) && onChange(value)}
    />
  )
}

interface DayProps extends Service {
  position: SalesPosition
  /** Must not change; another day needs another component. */
  day: string
  isFuture: boolean
}

function Day({ position, day, isFuture, ...service }: DayProps) {
  const { sales, lines, showMore, ahead, failures } = useDay(service, day, position)
  return (
    <>
      {failures}
      {ahead && (
        <Notice
          kind="warning"
          title="The clock of the service was ahead."
          text={`An event has the time ${time(ahead.at)}, and a later one ${time(ahead.next)}. Events in between can be listed on another day.`}
        />
      )}
      <DayReport {...{ day, isFuture, sales }} records={service.records} />
      <DayActivity {...{ ...service, position, day, lines, showMore }} />
    </>
  )
}

function useDay(service: Service, day: string, { type }: SalesPosition) {
  const { client, feed } = service
  const span = spanOf(day)
  const [most, setMost] = useState(LINES)
  const [salesLog] = useState(() => new DayLog(client, span, SALES))
  // Sales show which reservations are omitted.
  const types = type === 'order.placed' ? [type, 'order.completed' as const] : type && [type]
  const linesLog = useMemo(() => new DayLog(client, span, types), [type])
  const { value, failure, reload, refresh } = useLoaded(
    async (signal) => {
      await feed.begun
      await salesLog.read(Number.POSITIVE_INFINITY, signal)
      await linesLog.read(most, signal)
      return {
        ahead: await readClockAhead(
          client,
          span.to,
          [salesLog, linesLog].map(({ log }) => log.peek().events),
          signal,
        ),
      }
    },
    [linesLog, most],
  )
  useEvents(feed, (events, gap) => {
    if (gap) for (const log of [salesLog, linesLog]) log.restart()
    const isOfDay = (at: string) => Date.parse(at) >= Date.parse(span.from)
    if (gap || day === today.value || events.some(({ at }) => isOfDay(at))) refresh()
  })
  const sales = salesLog.log.value.hasMore ? undefined : salesLog.log.value.events.toReversed()
  const { events, hasMore } = linesLog.log.value
  const found = withoutDirect(events).filter((event) => type === undefined || event.type === type)
  const lines = found.slice(0, most)
  const orders = useOrders(service, [...(sales ?? []), ...lines])
  const more = hasMore || found.length > most
  return {
    sales,
    lines: hasMore && events.length === 0 ? undefined : lines,
    showMore: more && events.length > 0 ? () => setMost(most + LINES) : undefined,
    ahead: value?.ahead,
    failures: [
      failure && <RetryNotice key="day" {...{ failure, reload }} title="Not all of this day could be read." />,
      orders.failure && (
        <RetryNotice
          key="orders"
          failure={orders.failure}
          reload={orders.reload}
          title="Not all animals and customers could be read, so the day cannot be printed or exported yet."
        />
      ),
    ],
  }
}
