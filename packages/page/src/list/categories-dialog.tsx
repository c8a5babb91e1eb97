// The table of categories: adds, renames and removes names. Changes of other tills in the meantime are kept.

import { useState } from 'preact/hooks'
import type { Category } from '../../../service/src/domain/names.ts'
import { toFailure } from '../failures.ts'
import { changeNames, readEditable } from '../names.ts'
import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog, type Opening } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Notice, RetryNotice } from '../parts/notice.tsx'

interface CategoriesDialogProps extends Opening {
  onDone: (sentence: string) => void
}

/** What the person changed: names by id, `undefined` for removed ones, and new names. */
interface Edits {
  names: ReadonlyMap<bigint, string | undefined>
  added: readonly string[]
}
const NONE: Edits = { names: new Map(), added: [''] }

export function CategoriesDialog({ open, setOpen, onDone }: CategoriesDialogProps) {
  const { value, failure, reload } = useLoaded(async () => ({ read: await readEditable() }), [])
  const [edits, setEdits] = useState(NONE)
  const [problem, setProblem] = useState('')
  const [busy, once] = useBusy()
  const categories = value?.read?.categories ?? []
  const rename = (id: bigint, name: string | undefined) =>
    setEdits((before) => ({ ...before, names: new Map(before.names).set(id, name) }))
  function write(at: number, name: string): void {
    const added = edits.added.with(at, name)
    // There is always an empty row for one more.
    setEdits({ ...edits, added: added.at(-1) ? [...added, ''] : added })
  }

  const save = () =>
    once(async () => {
      setProblem('')
      try {
        await changeNames(({ categories, nextId }) => edited(categories, nextId, edits))
        setOpen(false)
        onDone('The categories are saved.')
      } catch (error) {
        setProblem(toFailure(error).message)
      }
    })
  const isFixed = value !== undefined && value.read === undefined
  return (
    <FormDialog
      id="categories-title"
      title="Categories"
      {...{ open, setOpen, busy }}
      submit={() => void save()}
      action={isFixed || !value ? undefined : busy ? 'Saving…' : 'Save'}
    >
      {failure && <RetryNotice {...{ failure, reload }} title="The categories could not be read." />}
      {problem && <Notice kind="error" title="Nothing was saved." text={problem} />}
      {isFixed && <p>Your operator keeps the names of categories in a file, so you cannot change them here.</p>}
      {value?.read && (
        <>
          <p class="hint">Animals keep their category. If you remove its name, they show its number.</p>
          <table class="categories">
            <thead>
              <tr>
                <th scope="col">Number</th>
                <th scope="col">Name</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {categories.map(({ id, name }) => (
                <Row
                  key={String(id)}
                  number={String(id)}
                  label={`Name of category ${id}`}
                  name={edits.names.has(id) ? edits.names.get(id) : name}
                  write={(text) => rename(id, text)}
                  remove={(isRemoved) => rename(id, isRemoved ? undefined : name)}
                />
              ))}
              {edits.added.map((name, at) => (
                <Row
                  key={`new ${at}`}
                  number="New"
                  label="Name of a new category"
                  {...{ name }}
                  write={(text) => write(at, text)}
                />
              ))}
            </tbody>
          </table>
        </>
      )}
    </FormDialog>
  )
}

interface RowProps {
  number: string
  label: string
  /** `undefined` if it is removed. */
  name: string | undefined
  write: (text: string) => void
  remove?: (isRemoved: boolean) => void
}

function Row({ number, label, name, write, remove }: RowProps) {
  const isRemoved = name === undefined
  return (
    <tr>
      <th scope="row">{number}</th>
      <td>
        <input
          type="text"
          dir="auto"
          autocomplete="off"
          aria-label={label}
          value={name ?? ''}
          placeholder={isRemoved ? 'Removed' : undefined}
          disabled={isRemoved}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      </td>
      <td>
        {remove && (
          <Button
            class="quiet"
            text={isRemoved ? 'Put back' : <Icon name="close" />}
            aria-label={`${isRemoved ? 'Put back category' : 'Remove category'} ${number}`}
            onClick={() => remove(!isRemoved)}
          />
        )}
      </td>
    </tr>
  )
}

/** Applies the edits to the newest names. New names get ids that no name and no animal has. */
export function edited(categories: readonly Category[], nextId: bigint, { names, added }: Edits): Category[] {
  const kept = categories.flatMap(({ id, name }) => {
    const wanted = names.has(id) ? names.get(id) : name
    return wanted === undefined ? [] : { id, name: wanted.trim() }
  })
  const written = added.map((name) => name.trim()).filter(Boolean)
  return [...kept, ...written.map((name, at) => ({ id: nextId + BigInt(at), name }))]
}
