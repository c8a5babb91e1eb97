// The rows of a file as a table, a page at a time: its mistakes at their cells, mended in place or left out.

import { useState } from 'preact/hooks'
import type { PetStatus } from '../../../client/src/petstore.ts'
import { FIELD_NAMES, FIELDS, type Field } from '../animal/fields.ts'
import { Status } from '../animal/status.tsx'
import { STATUSES } from '../animal/status-labels.ts'
import { Icon } from '../parts/icons.tsx'
import { Name } from '../parts/name.tsx'
import { RadioGroup } from '../parts/radio-group.tsx'
import { number } from '../phrases.ts'
import type { Row } from './rows.ts'
import type { Import } from './use-import.ts'

const PAGE_ROWS = 50

export function ImportTable({ importing }: { importing: Import & { rows: readonly Row[] } }) {
  const { rows, counts } = importing
  const [chosen, choose] = useState<'all' | 'mistaken'>()
  const [page, setPage] = useState(0)
  const shown = chosen ?? (counts.mistaken > 0 ? 'mistaken' : 'all')
  const some = shown === 'all' ? rows : rows.filter(({ mistaken }) => mistaken)
  const last = Math.max(0, Math.ceil(some.length / PAGE_ROWS) - 1)
  const at = Math.min(page, last)
  return (
    <>
      {counts.mistaken > 0 && (
        <RadioGroup
          legend="Show"
          name="import-shown"
          options={[
            ['mistaken', 'Mistakes'],
            ['all', 'All'],
          ]}
          counts={{ all: number(rows.length) }}
          value={shown}
          onChange={(value) => {
            choose(value)
            setPage(0)
          }}
        />
      )}
      <table class="rows import-rows">
        <thead>
          <tr>
            {['Line', ...FIELD_NAMES.map((field) => FIELDS[field].label)].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">
              <span class="visually-hidden">What becomes of it</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {some.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS).map((row) => (
            <TableRow key={row.line} {...{ row, importing }} />
          ))}
        </tbody>
      </table>
      {last > 0 && <Pages {...{ at, last, setPage }} count={some.length} />}
    </>
  )
}

interface PagesProps {
  at: number
  last: number
  count: number
  setPage: (at: number) => void
}

function Pages({ at, last, count, setPage }: PagesProps) {
  const to = Math.min(count, (at + 1) * PAGE_ROWS)
  return (
    <nav class="pager" aria-label="Pages of the file">
      <p class="pager-where">
        {number(at * PAGE_ROWS + 1)} – {number(to)} of {number(count)}
      </p>
      <div class="pager-steps">
        <button type="button" aria-disabled={at === 0} onClick={() => setPage(Math.max(0, at - 1))}>
          <Icon name="previous" />
          <span class="step-label">Previous rows</span>
        </button>
        <button type="button" aria-disabled={at === last} onClick={() => setPage(Math.min(last, at + 1))}>
          <span class="step-label">Next rows</span>
          <Icon name="next" />
        </button>
      </div>
    </nav>
  )
}

function TableRow({ row, importing }: { row: Row; importing: Import }) {
  const { line, cells, problems, mistaken, state } = row
  const edited = mistaken && state === 'open' && importing.doing !== 'adding'
  const cell = { row, mend: (change: Partial<Row['cells']>) => importing.mend(row, change) }
  return (
    <tr class={state === 'left out' ? 'left-out' : undefined}>
      <th scope="row" class="muted">
        <span class="cell-label">Line </span>
        <span class="numbers">{line}</span>
      </th>
      {FIELD_NAMES.map((field) => (
        <td key={field}>
          {field !== 'name' && field !== 'status' && <span class="cell-label">{FIELDS[field].label} </span>}
          {edited ? <Cell {...cell} field={field} /> : <Text field={field} text={cells[field]} />}
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

function Outcome({ row, importing }: { row: Row; importing: Import }) {
  const { line, state } = row
  if (state === 'added' || state === 'present') return OUTCOMES[state]
  const leave = state === 'open'
  return (
    <button
      type="button"
      class="quiet small"
      aria-disabled={importing.doing === 'adding'}
      onClick={() => importing.doing !== 'adding' && importing.leaveOut(row, leave)}
    >
      {leave ? 'Leave out' : 'Put back'}
      <span class="visually-hidden"> line {line}</span>
    </button>
  )
}

interface CellProps {
  row: Row
  field: Field
  mend: (change: Partial<Row['cells']>) => void
}

/** Is mended in place, with its problem below it. */
function Cell({ row, mend, field }: CellProps) {
  const id = `import-${row.line}-${field}`
  const problem = row.problems.fields[field]
  const value = row.cells[field]
  const control = {
    id,
    'aria-label': `${FIELDS[field].label}, line ${row.line}`,
    'aria-invalid': Boolean(problem),
    'aria-describedby': problem && `${id}-problem`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => mend({ [field]: currentTarget.value }),
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

/** With the file's own word, where it is none. */
function statusOptions(value: string): readonly (readonly [string, string])[] {
  return !value || STATUSES.some(([status]) => status === value) ? STATUSES : [[value, value], ...STATUSES]
}

/** As the file has it. */
function Text({ field, text }: { field: Field; text: string }) {
  if (field === 'status') return <Status status={(text || 'available') as PetStatus} />
  return field === 'name' ? <Name name={text} /> : <span class={FIELDS[field].typed?.input.class}>{text}</span>
}
