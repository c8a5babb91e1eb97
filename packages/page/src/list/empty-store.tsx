// Shown for a store without animals; offers to add samples. Loading them can be interrupted and continued, because
// each sample keeps its Idempotency-Key.

import { useRef, useState } from 'preact/hooks'
import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { addSamples, sampleCategories, samplePets } from '../../../client/src/samples.ts'
import { toFailure } from '../failures.ts'
import { changeNames } from '../names.ts'
import { Button } from '../parts/button.tsx'
import { Paw } from '../parts/icons.tsx'
import { Notice } from '../parts/notice.tsx'

interface EmptyStoreProps {
  client: PetstoreClient
  readOnly: boolean
  /** Called with true when loading starts, and with false when all samples are added or the person stops. */
  onRunning: (running: boolean) => void
  onDone: () => void
  onAdd: () => void
  onImport: () => void
}

export function EmptyStore({ client, readOnly, onRunning, onDone, onAdd, onImport }: EmptyStoreProps) {
  const [done, setDone] = useState<number>()
  const [problem, setProblem] = useState('')
  const run = useRef(randomKey())
  const loading = done !== undefined && !problem

  async function load(): Promise<void> {
    if (loading) return
    setProblem('')
    onRunning(true)
    try {
      let added = 0
      setDone(added)
      await changeNames(({ categories }) => (categories.length === 0 ? sampleCategories : undefined))
      for await (const _pet of addSamples(client, { run: run.current })) setDone(++added)
      leave()
    } catch (error) {
      setProblem(toFailure(error).message)
    }
  }

  function leave(): void {
    onRunning(false)
    onDone()
  }

  if (done === undefined) {
    return (
      <div class="empty">
        <Paw />
        <h2>No animals yet</h2>
        {readOnly ? (
          <p class="muted">This key is read-only, so you cannot add animals.</p>
        ) : (
          <ul class="first-day">
            {(
              [
                ['Import a spreadsheet', 'An Excel or CSV file with a line for each animal.', onImport],
                ['Add the first animal', 'Type its name and its category.', onAdd],
                ['Load sample animals', `Try the page with ${samplePets.length} animals and orders.`, load],
              ] as const
            ).map(([title, text, act], at) => (
              <li key={title}>
                <Button text={title} class={at === 0 ? 'primary' : undefined} onClick={act} />
                <p class="muted">{text}</p>
              </li>
            ))}
          </ul>
        )}
      </div>
    )
  }
  return (
    <div class="empty">
      <Paw />
      <h2>Sample animals</h2>
      {problem && <Notice kind="error" title="Not all samples were added." text={problem} />}
      {loading && (
        <p>
          <progress max={samplePets.length} value={done} aria-label="Sample animals added" />
        </p>
      )}
      {problem && (
        <div class="empty-actions">
          <Button text="Stop here" onClick={leave} />
          <Button text="Continue" onClick={load} />
        </div>
      )}
    </div>
  )
}
