// Activity: what happened on a day, newest first, by kind and by key, with how many there were of each.

import { useContext, useEffect, useReducer } from 'preact/hooks'
import { Places } from '../links.tsx'
import { Heading } from '../parts/heading.tsx'
import type { ActivityPosition } from './activity-address.ts'
import { DayView } from './day-view.tsx'
import { dayFrom, dayOf, spanOf } from './days.ts'
import type { Service } from './details.ts'

export function ActivityView({ position, ...service }: Service & { position: ActivityPosition }) {
  const { go } = useContext(Places)
  const today = useToday()
  const day = position.day ?? today
  const isToday = day >= today
  const goTo = (to: string) => to <= today && go({ ...position, day: to === today ? undefined : to })
  return (
    <>
      <div class="title-row">
        <Heading>Activity</Heading>
        <div class="title-actions day-choice">
          <button type="button" onClick={() => goTo(dayFrom(day, -1))} aria-label="Day before">
            ←
          </button>
          <input
            type="date"
            aria-label="Day"
            value={day}
            max={today}
            onChange={({ currentTarget: { value } }) => value && goTo(value)}
          />
          <button type="button" onClick={() => goTo(dayFrom(day, 1))} aria-disabled={isToday} aria-label="Day after">
            →
          </button>
          <button type="button" onClick={() => goTo(today)} aria-disabled={isToday}>
            Today
          </button>
        </div>
      </div>
      <DayView key={day} {...{ ...service, position, isToday }} span={spanOf(day)} />
    </>
  )
}

/** Changes at midnight. */
function useToday(): string {
  const [, change] = useReducer((count: number) => count + 1, 0)
  const today = dayOf(Date.now())
  useEffect(() => {
    const timer = setTimeout(change, Date.parse(spanOf(today).to) - Date.now(), undefined)
    return () => clearTimeout(timer)
  }, [today])
  return today
}
