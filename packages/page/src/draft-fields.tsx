// The fields of the animal being typed, each with its problem.

import { offersCategories } from './category.tsx'
import { type Draft, EMPTY_DRAFT, LABELS } from './draft.ts'
import type { Problems } from './field-problems.ts'
import { RadioGroup } from './radio-group.tsx'
import { STATUSES } from './statuses.ts'
import { Problem, TextField } from './text-field.tsx'

interface DraftFieldsProps {
  draft: Draft
  edit: (change: Partial<Draft>) => void
  problems: Problems['fields']
}

export function DraftFields({ draft, edit, problems }: DraftFieldsProps) {
  return (
    <>
      <TextField
        id="add-name"
        name="name"
        label={LABELS.name}
        dir="auto"
        required
        value={draft.name}
        setText={(name) => edit({ name })}
        problem={problems.name}
      />
      <TextField
        id="add-category"
        name="categoryId"
        label={LABELS.categoryId}
        class="mono"
        inputMode="numeric"
        required
        {...offersCategories}
        value={draft.categoryId}
        setText={(categoryId) => edit({ categoryId })}
        problem={problems.categoryId}
        hint="The category's number."
      />
      <details class="field" open={draft.status !== EMPTY_DRAFT.status || problems.status !== undefined}>
        <summary>Already reserved or sold?</summary>
        <RadioGroup
          legend={LABELS.status}
          name="status"
          options={STATUSES}
          value={draft.status}
          onChange={(status) => edit({ status })}
          problemId={problems.status && 'add-status-problem'}
        />
        <Problem id="add-status" text={problems.status} />
        <p class="hint">
          Only for an animal that somebody reserved or bought elsewhere. It has no order here: all that this page can do
          with it is to make it available. Any other animal is available until it is reserved or sold in the list.
        </p>
      </details>
    </>
  )
}
