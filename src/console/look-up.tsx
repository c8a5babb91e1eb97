// One animal by its id.

import { useEffect, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../client/petstore.ts'
import { useAnnounce } from './announcer.tsx'
import { parseInteger } from './draft.ts'
import { toFailure } from './failures.ts'
import { Icon } from './icons.tsx'
import { Facts } from './just-added.tsx'
import { Actions, type OnAction } from './list-table.tsx'
import { Name } from './name.tsx'
import { brief } from './phrases.ts'
import { TextField } from './text-field.tsx'

interface LookUpProps {
  client: PetstoreClient
  /** When the service will remove this operation, if it has announced that. */
  removal: Date | undefined
  onAction: OnAction | undefined
}

export function LookUp({ client, removal, onAction }: LookUpProps) {
  const announce = useAnnounce()
  const [text, setText] = useState('')
  const [looking, setLooking] = useState(false)
  const [found, setFound] = useState<Pet>()
  const [problem, setProblem] = useState('')

  useEffect(() => {
    const close = ({ key }: KeyboardEvent) => key === 'Escape' && setFound(undefined)
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (looking) return
    setFound(undefined)
    setProblem('')
    const id = parseInteger(text)
    if (id === undefined) {
      setProblem(text.trim() === '' ? 'Enter an id.' : 'An id is a whole number, such as 42.')
      return
    }
    setLooking(true)
    try {
      const pet = await client.getPet(id)
      setFound(pet)
      announce(`Found ${brief(pet.name)}.`)
    } catch (error) {
      const { code, message } = toFailure(error)
      setProblem(code === 'not_found' ? `No animal has the id ${id}.` : message)
    } finally {
      setLooking(false)
    }
  }

  return (
    <>
      <search>
        <form onSubmit={submit} noValidate>
          <TextField
            id="look-up"
            label="Look up by id"
            class="mono"
            inputMode="numeric"
            value={text}
            setText={(text) => {
              setText(text)
              setProblem('')
            }}
            problem={problem}
            beside={
              <button type="submit" aria-disabled={looking}>
                <Icon name="search" />
                Look up
              </button>
            }
          />
        </form>
      </search>
      {found && <Found {...{ pet: found, removal, onAction }} onClose={() => setFound(undefined)} />}
    </>
  )
}

interface FoundProps extends Pick<LookUpProps, 'removal' | 'onAction'> {
  pet: Pet
  onClose: () => void
}

function Found({ pet, removal, onAction, onClose }: FoundProps) {
  const act: OnAction = (...task) => {
    onClose()
    onAction?.(...task)
  }
  return (
    <section class="found" aria-labelledby="found">
      <div class="title-row">
        <h2 id="found">
          <Name name={pet.name} />
        </h2>
        <button type="button" class="quiet" onClick={onClose}>
          <Icon name="close" />
          Close
        </button>
      </div>
      <p class="facts">
        <Facts pet={pet} />
      </p>
      {onAction && <Actions subject={{ ...pet, petId: pet.id }} onAction={act} />}
      {removal && <p class="hint">Looking up by id ends on {day(removal)}.</p>}
    </section>
  )
}

function day(date: Date): string {
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}
