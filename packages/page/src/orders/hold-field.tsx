// The field for the length of a reservation, with its end.

import { useId } from 'preact/hooks'
import { localTime } from '../../../files/src/local-time.ts'
import { now } from '../parts/clock.ts'
import { SelectField } from '../parts/select-field.tsx'
import { time } from '../phrases.ts'
import { expiryOf, HOLDS, HOUR_MS, type Hold, type HoldEnd } from './hold.ts'

const OPTIONS = Object.entries(HOLDS).map(([hold, [label]]) => [hold as Hold, label] as const)

export function HoldField({ hold, until, setEnd }: HoldEnd & { setEnd: (end: HoldEnd) => void }) {
  /** A custom end starts at one hour from now. */
  function choose(chosen: Hold): void {
    const inAnHour = () => localTime(new Date(now() + HOUR_MS).toISOString())
    setEnd({ hold: chosen, until: until || (chosen === 'other' ? inAnHour() : '') })
  }

  const { expiresAt } = expiryOf(hold, until)
  return (
    <SelectField id={useId()} label="For how long" options={OPTIONS} value={hold} onChange={choose}>
      {hold === 'other' && (
        <input
          type="datetime-local"
          aria-label="Until"
          value={until}
          onInput={({ currentTarget }) => setEnd({ hold, until: currentTarget.value })}
        />
      )}
      {expiresAt && (
        <p class="hint" translate={false}>
          Until {time(expiresAt)}.
        </p>
      )}
    </SelectField>
  )
}
