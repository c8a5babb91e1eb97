// The fields of a draft, each with its problem.

import { RadioGroup } from '../parts/radio-group.tsx'
import { TextField } from '../parts/text-field.tsx'
import { type Draft, EMPTY_DRAFT } from './draft.ts'
import type { Problems } from './field-problems.ts'
import { FIELDS, TYPED_FIELDS } from './fields.ts'
import { STATUSES } from './status-labels.ts'

interface DraftFieldsProps {
  draft: Draft
  edit: (change: Partial<Draft>) => void
  problems: Problems['fields']
}

export function DraftFields({ draft, edit, problems }: DraftFieldsProps) {
  return (
    <>
      {TYPED_FIELDS.map((field) => (
        <TextField
          key={field}
          id={`add-${field}`}
          name={field}
          label={FIELDS[field].label}
          hint={FIELDS[field].typed?.hint}
          {...FIELDS[field].typed?.input}
          required
          value={draft[field]}
          setText={(text) => edit({ [field]: text })}
          problem={problems[field]}
        />
      ))}
      <details class="field" open={draft.status !== EMPTY_DRAFT.status}>
        <summary>Already reserved or sold?</summary>
        <RadioGroup
          legend={FIELDS.status.label}
          name="status"
          options={STATUSES}
          value={draft.status}
          onChange={(status) => edit({ status })}
        />
        <p class="hint">
          Only for an animal that was reserved or sold elsewhere. It has no order here, so this page can only make it
          available again.
        </p>
      </details>
    </>
  )
}
