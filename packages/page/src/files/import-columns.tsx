// Questions about a file: the column of each field, the category of rows without one, and the encoding.

import { ignoredHeadings } from '../../../files/src/columns.ts'
import { FIELD_NAMES, FIELDS, type Field } from '../animal/fields.ts'
import { labelOf } from '../animal/status-labels.ts'
import { Notice } from '../parts/notice.tsx'
import { SelectField } from '../parts/select-field.tsx'
import { plain } from '../parts/visible-text.ts'
import type { Contents, ImportRow } from './rows.ts'
import type { Import } from './use-import.ts'

const NO_COLUMN: Record<Field, string> = {
  name: 'Choose a column',
  categoryId: 'One for all rows',
  status: 'None: all are available',
}
const UNCLEAR = 'unclear'
const SHOWN_MAX = 3

export function ImportColumns({ importing, contents }: { importing: Import; contents: Contents }) {
  const { answers, answer } = importing
  const { headings, columns, guessed, unclear, encoding, letters, rows = [] } = contents
  const ignored = ignoredHeadings(headings, columns)
  return (
    <>
      {encoding && (
        <Notice
          kind="warning"
          title={`Are these letters right? ${plain(letters.get(encoding) ?? '')}`}
          text={
            <SelectField
              id="import-encoding"
              label="The file is not UTF-8. It is read as"
              options={[...letters].map(([each, words]) => [each, words ? `${each}: ${plain(words)}` : each])}
              value={encoding}
              onChange={(encoding) => answer({ encoding })}
            />
          }
        />
      )}
      <details class="import-columns" open={guessed}>
        <summary>Columns of the file</summary>
        <div class="import-column-list">
          {FIELD_NAMES.map((field) => (
            <SelectField
              key={field}
              id={`import-column-${field}`}
              label={`${FIELDS[field].label} column`}
              options={[
                ...(unclear.includes(field) ? [[UNCLEAR, 'Several columns fit: choose one'] as const] : []),
                ['', NO_COLUMN[field]],
                ...headings.map((heading, at) => [String(at), plain(heading) || `Column ${at + 1}`] as const),
              ]}
              value={unclear.includes(field) ? UNCLEAR : String(columns[field] ?? '')}
              onChange={(at) => answer({ columns: { ...columns, [field]: at === '' ? undefined : Number(at) } })}
            />
          ))}
          {columns.categoryId === undefined && !unclear.includes('categoryId') && (
            <div class="field">
              <label for="import-category">Category of all rows</label>
              {/* Uncontrolled, because a render at the end of a read would reset text that is being typed. */}
              <input
                id="import-category"
                type="text"
                autocomplete="off"
                {...FIELDS.categoryId.typed?.input}
                defaultValue={answers.category ?? ''}
                onChange={({ currentTarget }) => answer({ category: currentTarget.value.trim() })}
              />
            </div>
          )}
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={answers.noHeadings === true}
            onChange={({ currentTarget }) => answer({ noHeadings: currentTarget.checked, columns: undefined })}
          />
          The first line is an animal, too
        </label>
        {rows.length > 0 && <p class="hint">The first rows: {rows.slice(0, SHOWN_MAX).map(brief).join('; ')}</p>}
      </details>
      {ignored.length > 0 && <p class="hint">Ignored columns: {ignored.map(plain).join(', ')}.</p>}
    </>
  )
}

function brief({ cells: { name, categoryId, status } }: ImportRow): string {
  return [plain(name), categoryId, status && labelOf(status)].filter(Boolean).join(' · ')
}
