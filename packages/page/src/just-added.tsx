// The animals added from this tab, newest first. A new animal is the last of the whole list, and nobody should have to
// go through every page to find it.

import { useState } from 'preact/hooks'
import type { Pet } from '../../client/src/petstore.ts'
import { petsFromJson } from '../../client/src/responses.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import { CloseButton } from './close-button.tsx'
import { CopyId } from './copy-id.tsx'
import { petAfter } from './in-place.ts'
import { CategoryLink } from './list-link.tsx'
import { Actions, type OnAction } from './list-table.tsx'
import type { Event } from './live/events.ts'
import { Name } from './name.tsx'
import { RecordLink } from './record/record-link.tsx'
import type { Stored } from './session-state.ts'
import { Status } from './status.tsx'

const STORED_MAX = 50

export const STORED_ADDED: Stored<readonly Pet[]> = {
  name: 'petstore.added',
  initial: [],
  toText: (pets) => stringifyJson(pets.slice(0, STORED_MAX)),
  fromText: petsFromJson,
}

/** The animals that were just added, as they are after an event. */
export function afterEvent(added: readonly Pet[], event: Event): readonly Pet[] {
  const { type, petId } = event
  if (type === 'pet.deleted') return added.filter(({ id }) => id !== petId)
  return added.map((one) => (one.id === petId ? petAfter(one, event) : one))
}

interface JustAddedProps {
  added: readonly Pet[]
  onAction: OnAction | undefined
  onClear: () => void
}

/** The newest on one line; the earlier ones when asked for. */
export function JustAdded({ added, onAction, onClear }: JustAddedProps) {
  const [open, setOpen] = useState(false)
  const [newest, ...earlier] = added
  if (!newest) return null
  return (
    <section class="just-added" aria-labelledby="just-added">
      <h2 id="just-added">Just added</h2>
      <Added pet={newest} onAction={onAction} />
      <div class="actions">
        {earlier.length > 0 && (
          <button type="button" class="quiet small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {earlier.length} earlier
          </button>
        )}
        <CloseButton label="Clear" onClose={onClear} />
      </div>
      {open && (
        <ul>
          {earlier.map((pet) => (
            <li key={String(pet.id)}>
              <Added pet={pet} onAction={onAction} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Added({ pet, onAction }: { pet: Pet; onAction: OnAction | undefined }) {
  return (
    <div class="facts">
      <RecordLink kind="animal" id={pet.id} plain>
        <Name name={pet.name} />
      </RecordLink>
      <Facts pet={pet} />
      {onAction && <Actions subject={{ ...pet, petId: pet.id }} onAction={onAction} />}
    </div>
  )
}

export function Facts({ pet: { id, categoryId, status } }: { pet: Pet }) {
  return (
    <>
      <span class="muted">
        Category <CategoryLink id={categoryId} />
      </span>
      <Status status={status} />
      <span class="muted">
        Id <CopyId id={id} />
      </span>
    </>
  )
}
