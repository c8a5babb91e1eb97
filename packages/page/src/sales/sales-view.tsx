// The sales of one day, and everything that happened on it.

import { useContext, useEffect, useReducer, useRef } from 'preact/hooks'
import { dayFrom, dayOf, spanOf } from '../../../files/src/local-time.ts'
import { Places } from '../links.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import { Button } from '../parts/button.tsx'
import { now } from '../parts/clock.ts'
import { Heading } from '../parts/heading.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Notice, RetryNotice } from '../parts/notice.tsx'
import { number, time } from '../phrases.ts'
import { Close } from './close.tsx'
import { DayEvents, SALES, TYPES } from './day-events.ts'
import { useDetails } from './details.ts'
import { Everything } from './everything.tsx'
import { linesOf } from './sales.ts'
import type { SalesPosition } from './sales-address.ts'

const LINES = 100

export function SalesView({ position, ...service }: Service & { position: SalesPosition }) {
  const { go } = useContext(Places)
  const today = useToday()
  const day = position.day ?? today
  const isLast = day >= today
  const goTo = (to: string) => go({ ...position, day: to < today ? to : undefined })
  return (
    <>
      <div class="title-row">
        <Heading>Sales</Heading>
        <div class="title-actions day-choice">
          <Button text="←" onClick={() => goTo(dayFrom(day, -1))} aria-label="Previous day" />
          <input
            type="date"
            aria-label="Day"
            value={day}
            max={today}
            onChange={({ currentTarget: { value } }) => value && goTo(value)}
          />
          <Button text="→" onClick={() => goTo(dayFrom(day, 1))} aria-disabled={isLast} aria-label="Next day" />
        </div>
      </div>
      <Day key={day} {...{ ...service, position, day }} isFuture={day > today} />
    </>
  )
}

/** Changes at midnight. */
function useToday(): string {
  const [, change] = useReducer((count: number) => count + 1, 0)
  const today = dayOf(now())
  useEffect(() => {
    const timer = setTimeout(change, Date.parse(spanOf(today).to) - now(), undefined)
    return () => clearTimeout(timer)
  }, [today])
  return today
}

interface DayProps extends Service {
  position: SalesPosition
  /** Must not change; another day needs another component. */
  day: string
  isFuture: boolean
}

function Day({ position, day, isFuture, client, feed }: DayProps) {
  const [most, showMore] = useReducer((count: number) => count + LINES, LINES)
  const [, show] = useReducer((count: number) => count + 1, 0)
  const known = useRef<DayEvents>(undefined)
  known.current ??= new DayEvents(client, spanOf(day))
  const events = known.current
  const { failure, reload } = useLoaded(async (signal) => {
    await feed.begun
    await events.read(signal, () => show(undefined))
  }, [])
  useEvents(feed, (happened, gap) => {
    if (gap) {
      events.restart()
      reload()
    }
    if (events.add(happened)) show(undefined)
  })
  const sales = events.isWhole(...SALES) ? events.of(...SALES).toReversed() : undefined
  const lines = linesOf(events, position.type ? [position.type] : TYPES)
  const shown = lines.slice(0, most)
  const ahead = events.clockAhead
  const details = useDetails({ client, feed }, [...(sales ?? []), ...shown])
  return (
    <>
      {failure && <RetryNotice {...{ failure, reload }} title="Not all of this day could be read." />}
      {ahead && (
        <Notice
          kind="warning"
          title="The clock of the service was ahead."
          text={`An event has the time ${time(ahead.at)}, and a later one ${time(ahead.next)}. Events in between can be listed on another day.`}
        />
      )}
      <Close {...{ day, isFuture, sales }} orders={details.orders} />
      <Everything {...{ position, day, events, shown, details }}>
        {lines.length > most && (
          <Button
            text={`Show ${number(Math.min(LINES, lines.length - most))} more`}
            onClick={() => showMore(undefined)}
          />
        )}
      </Everything>
    </>
  )
}
