// The animals added from this tab, newest first. A new animal is the last of the whole list, and nobody should have to
// go through every page to find it.

import type { Pet } from '../client/petstore.ts'
import { petsFromJson } from '../client/responses.ts'
import { stringifyJson } from '../json/json.ts'
import { CopyId } from './copy-id.tsx'
import { Name } from './name.tsx'
import type { Stored } from './session-state.ts'
import { Status } from './status.tsx'

const SHOWN_MAX = 5
const STORED_MAX = 50

export const STORED_ADDED: Stored<readonly Pet[]> = {
  name: 'petstore.added',
  initial: [],
  toText: (pets) => stringifyJson(pets.slice(0, STORED_MAX)),
  fromText: petsFromJson,
}

export function JustAdded({ added, onClear }: { added: readonly Pet[]; onClear: () => void }) {
  if (added.length === 0) return null
  const more = added.length - SHOWN_MAX
  return (
    <section class="just-added" aria-labelledby="just-added">
      <div class="title-row">
        <h2 id="just-added">Just added</h2>
        <button type="button" class="quiet" onClick={onClear}>
          Clear
        </button>
      </div>
      <ul>
        {added.slice(0, SHOWN_MAX).map((pet) => (
          <li key={String(pet.id)} class="facts">
            <Name name={pet.name} />
            <Facts pet={pet} />
          </li>
        ))}
      </ul>
      {more > 0 && <p class="hint">and {more} earlier</p>}
    </section>
  )
}

export function Facts({ pet: { id, categoryId, status } }: { pet: Pet }) {
  return (
    <>
      <span class="muted">
        Category <span class="mono">{String(categoryId)}</span>
      </span>
      <Status status={status} />
      <span class="muted">
        Id <CopyId id={id} />
      </span>
    </>
  )
}
