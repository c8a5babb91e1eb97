// Categories and statuses of a file that the store does not know: each is shown once, for all of its rows.

import { useState } from 'preact/hooks'
import { nameFault } from '../../../service/src/domain/names.ts'
import { FIELDS } from '../animal/fields.ts'
import { STATUSES } from '../animal/status-labels.ts'
import { toFailure } from '../failures.ts'
import { addCategory, names } from '../names.ts'
import { useBusy } from '../parts/busy.ts'
import { Notice } from '../parts/notice.tsx'
import { SelectField } from '../parts/select-field.tsx'
import { plain } from '../parts/visible-text.ts'
import { number } from '../phrases.ts'
import { type UnknownValue, unknownValues } from './rows.ts'
import type { Import } from './use-import.ts'

const SHOWN_MAX = 50
const ADD = 'add'

export function ImportValues({ importing }: { importing: Import }) {
  const [problem, setProblem] = useState('')
  const [busy, once] = useBusy()
  const values = unknownValues(importing.rows ?? [])
  if (values.length === 0) return null

  const choose = (value: UnknownValue, chosen: string) =>
    once(async () => {
      setProblem('')
      if (chosen !== ADD) return importing.replace(value, chosen)
      try {
        if (await addCategory(value.text)) return importing.answer({})
        setProblem('Your operator keeps the names of categories in a file. Choose one of them.')
      } catch (error) {
        setProblem(toFailure(error).message)
      }
    })
  const more = values.length - SHOWN_MAX
  return (
    <section class="import-values" aria-label="Unknown values" aria-busy={busy}>
      {problem && <Notice kind="error" title="The category was not added." text={problem} />}
      <div class="import-column-list">
        {values.slice(0, SHOWN_MAX).map((value, at) => (
          <SelectField
            key={`${value.field} ${value.text}`}
            id={`import-value-${at}`}
            label={`${FIELDS[value.field].label} “${plain(value.text)}”, ${value.rows === 1 ? '1 row' : `${number(value.rows)} rows`}`}
            options={[['', 'Choose…'], ...optionsFor(value)]}
            value=""
            onChange={(chosen) => void choose(value, chosen)}
          />
        ))}
      </div>
      {more > 0 && <p class="hint">{`${number(more)} more values are in the rows below.`}</p>}
    </section>
  )
}

function optionsFor({ field, text }: UnknownValue): readonly (readonly [string, string])[] {
  if (field === 'status') return STATUSES
  const known = names().categories.map(({ name }) => [name, plain(name)] as const)
  const isName = nameFault(text) === undefined && !/^[\d.,\s+-]+$/.test(text)
  return isName ? [[ADD, `Add “${plain(text)}” as a new category`], ...known] : known
}
