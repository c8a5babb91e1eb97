// How long an animal is reserved: a time to choose, and when it ends.

import { useId } from 'preact/hooks'
import { localTime } from '../parts/local-time.ts'
import { time } from '../phrases.ts'

const HOUR_MS = 3_600_000
const HOLDS = {
  hour: ['1 hour', HOUR_MS],
  day: ['Until tomorrow', 24 * HOUR_MS],
  week: ['1 week', 7 * 24 * HOUR_MS],
  open: ['Until it is released', 0],
  other: ['Until…', 0],
} as const
export type Hold = keyof typeof HOLDS

/** `until` counts only with `other`. */
export interface End {
  hold: Hold
  until: string
}

interface HoldFieldProps extends End {
  setEnd: (end: End) => void
}

export function HoldField({ hold, until, setEnd }: HoldFieldProps) {
  /** Whoever chooses a time begins an hour from now. */
  function choose(chosen: Hold): void {
    const inAnHour = () => localTime(new Date(Date.now() + HOUR_MS).toISOString())
    setEnd({ hold: chosen, until: until || (chosen === 'other' ? inAnHour() : '') })
  }

  const { expiresAt } = ends(hold, until)
  const id = useId()
  return (
    <div class="field">
      <label for={id}>For how long</label>
      <select id={id} value={hold} onChange={({ currentTarget }) => choose(currentTarget.value as Hold)}>
        {Object.entries(HOLDS).map(([value, [label]]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {hold === 'other' && (
        <input
          type="datetime-local"
          aria-label="Until"
          value={until}
          onInput={({ currentTarget }) => setEnd({ hold, until: currentTarget.value })}
        />
      )}
      {expiresAt && <p class="hint">Until {time(expiresAt)}.</p>}
    </div>
  )
}

/** `until` is local time, as the browser's field gives it. */
export function ends(hold: Hold, until: string): { expiresAt?: string } {
  const at = hold === 'other' ? Date.parse(until) : Date.now() + HOLDS[hold][1]
  return hold === 'open' || Number.isNaN(at) ? {} : { expiresAt: new Date(at).toISOString() }
}
