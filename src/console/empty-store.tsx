// A store without animals: how to get the first ones. Loading the samples can stop half-way and go on, because each
// sample keeps its Idempotency-Key.

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { PetstoreClient } from '../client/petstore.ts'
import { samplePets } from '../client/samples.ts'
import { randomKey } from './draft.ts'
import { failureOf } from './failures.ts'
import { Paw } from './icons.tsx'
import { Note } from './notice.tsx'

interface EmptyStoreProps {
  store: PetstoreClient
  addButton: ComponentChildren
  onRefused: (message: string) => void
  onReadOnly: () => void
  /** From the first sample until they are all there, or left as they are. */
  onRunning: (running: boolean) => void
  onDone: () => void
}

/** Sent at once: the service commits together what arrives together. */
const AT_ONCE = 10

export function EmptyStore({ store, addButton, onRefused, onReadOnly, onRunning, onDone }: EmptyStoreProps) {
  const [done, setDone] = useState<number>()
  const [problem, setProblem] = useState('')
  const run = useRef(randomKey())
  const loading = done !== undefined && !problem

  async function load(): Promise<void> {
    if (loading) return
    setProblem('')
    onRunning(true)
    try {
      for (let from = done ?? 0; from < samplePets.length; from += AT_ONCE) {
        setDone(from)
        await Promise.all(
          samplePets
            .slice(from, from + AT_ONCE)
            .map((pet, index) => store.createPet(pet, { idempotencyKey: `${run.current}-${from + index}` })),
        )
      }
      leave()
    } catch (error) {
      const { kind, message } = failureOf(error)
      if (kind === 'refused') return onRefused(message)
      if (kind === 'readOnly') onReadOnly()
      setProblem(message)
    }
  }

  function leave(): void {
    onRunning(false)
    onDone()
  }

  return (
    <div class="empty">
      <Paw />
      <h2>{done === undefined ? 'No animals yet' : 'Sample animals'}</h2>
      {done === undefined && (
        <p class="muted">Add the first one, or load {samplePets.length} sample animals to look around with.</p>
      )}
      {problem && (
        <Note kind="bad" title="The samples are not all there.">
          {problem} Those that were added stay.
        </Note>
      )}
      {loading && (
        <p>
          <progress max={samplePets.length} value={done} aria-label="Sample animals added" />
        </p>
      )}
      <div class="empty-actions">
        {problem ? (
          <button type="button" onClick={leave}>
            Leave it at that
          </button>
        ) : (
          addButton
        )}
        <button type="button" onClick={load} aria-disabled={loading}>
          {loading ? 'Loading…' : problem ? 'Go on' : 'Load sample animals'}
        </button>
      </div>
    </div>
  )
}
