// The field for how long an animal is reserved, with when that ends.

import { useId } from 'preact/hooks'
import { localTime } from '../../../files/src/local-time.ts'
import { now } from '../parts/clock.ts'
import { time } from '../phrases.ts'
import { type End, ends, HOLDS, HOUR_MS, type Hold } from './hold.ts'

interface HoldFieldProps extends End {
  setEnd: (end: End) => void
}

export function HoldField({ hold, until, setEnd }: HoldFieldProps) {
  /** Whoever chooses a time begins an hour from now. */
  function choose(chosen: Hold): void {
    const inAnHour = () => localTime(new Date(now() + HOUR_MS).toISOString())
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
