// The rows of a file that have a mistake, as a table with pages.

import { useState } from 'preact/hooks'
import { FIELD_NAMES, FIELDS, type Field } from '../animal/fields.ts'
import { STATUSES } from '../animal/status-labels.ts'
import { Pager } from '../parts/pager.tsx'
import { number } from '../phrases.ts'
import type { ImportRow } from './rows.ts'
import type { Import } from './use-import.ts'

const PAGE_ROWS = 50

export function ImportTable({ importing }: { importing: Import }) {
  const { rows = [], counts } = importing
  const [page, setPage] = useState(0)
  if (counts.mistaken === 0) return null
  const mistaken = rows.filter((row) => row.mistaken)
  const last = Math.ceil(mistaken.length / PAGE_ROWS) - 1
  const at = Math.min(page, last)
  return (
    <>
      <table class="rows import-rows" aria-label="Rows with mistakes">
        <thead>
          <tr>
            {['Line', ...FIELD_NAMES.map((field) => FIELDS[field].label)].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">
              <span class="visually-hidden">Result</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {mistaken.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS).map((row) => (
            <TableRow key={row.line} {...{ row, importing }} />
          ))}
        </tbody>
      </table>
      {last > 0 && (
        <Pager
          label="Pages of the file"
          where={`${number(at * PAGE_ROWS + 1)} – ${number(Math.min(mistaken.length, (at + 1) * PAGE_ROWS))} of ${number(mistaken.length)}`}
          unit=" rows"
          first={at === 0 ? undefined : () => setPage(0)}
          previous={at === 0 ? undefined : () => setPage(at - 1)}
          next={at === last ? undefined : () => setPage(at + 1)}
        />
      )}
    </>
  )
}

function TableRow({ row, importing }: { row: ImportRow; importing: Import }) {
  const { line, problems, state } = row
  return (
    <tr class={state === 'skipped' ? 'skipped' : undefined}>
      <th scope="row" class="muted">
        <span class="cell-label">Line </span>
        <span class="numbers">{line}</span>
      </th>
      {FIELD_NAMES.map((field) => (
        <td key={field}>
          <span class="cell-label">{FIELDS[field].label} </span>
          <Cell {...{ row, field, importing }} />
          {field === 'name' && state === 'open' && problems.other && <p class="problem">{problems.other}</p>}
        </td>
      ))}
      <td class="import-outcome">
        <Outcome {...{ row, importing }} />
      </td>
    </tr>
  )
}

const OUTCOMES = { added: 'Added', present: 'Was there already' }

function Outcome({ row, importing }: { row: ImportRow; importing: Import }) {
  const { line, state } = row
  if (state === 'added' || state === 'present') return OUTCOMES[state]
  const skip = state === 'open'
  return (
    <button
      type="button"
      class="quiet small"
      aria-disabled={importing.doing === 'adding'}
      onClick={() => importing.doing !== 'adding' && importing.skip(row, skip)}
    >
      {skip ? 'Skip' : 'Put back'}
      <span class="visually-hidden"> line {line}</span>
    </button>
  )
}

function Cell({ row, field, importing }: { row: ImportRow; field: Field; importing: Import }) {
  const id = `import-${row.line}-${field}`
  const problem = row.state === 'open' ? row.problems.fields[field] : undefined
  const value = row.cells[field]
  const control = {
    id,
    'aria-label': `${FIELDS[field].label}, line ${row.line}`,
    'aria-invalid': Boolean(problem),
    'aria-describedby': problem && `${id}-problem`,
    disabled: row.state !== 'open' || importing.doing === 'adding',
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      importing.fix(row, { [field]: currentTarget.value }),
  }
  return (
    <>
      {field === 'status' ? (
        <select {...control} value={value || 'available'}>
          {statusOptions(value).map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <input type="text" autocomplete="off" {...control} {...FIELDS[field].typed?.input} value={value} />
      )}
      {problem && (
        <p id={`${id}-problem`} class="problem">
          {problem}
        </p>
      )}
    </>
  )
}

/** Includes the file's own value if it is not a status. */
function statusOptions(value: string): readonly (readonly [string, string])[] {
  return !value || STATUSES.some(([status]) => status === value) ? STATUSES : [[value, value], ...STATUSES]
}
