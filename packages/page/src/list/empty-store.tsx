// Shown for a store without animals; offers to add samples. Loading them can be interrupted and continued, because
// each sample keeps its Idempotency-Key.

import { useRef, useState } from 'preact/hooks'
import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { addSamples, samplePets } from '../../../client/src/samples.ts'
import { toFailure } from '../failures.ts'
import { Button } from '../parts/button.tsx'
import { Paw } from '../parts/icons.tsx'
import { Notice } from '../parts/notice.tsx'

interface EmptyStoreProps {
  client: PetstoreClient
  readOnly: boolean
  /** Called with true when loading starts, and with false when all samples are added or the person stops. */
  onRunning: (running: boolean) => void
  onDone: () => void
}

export function EmptyStore({ client, readOnly, onRunning, onDone }: EmptyStoreProps) {
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

  return (
    <div class="empty">
      <Paw />
      <h2>{done === undefined ? 'No animals yet' : 'Sample animals'}</h2>
      {done === undefined && (
        <p class="muted">
          {readOnly
            ? 'This key is read-only, so you cannot add animals.'
            : `Add the first one, or start with ${samplePets.length} samples.`}
        </p>
      )}
      {problem && <Notice kind="error" title="Not all samples were added." text={problem} />}
      {loading && (
        <p>
          <progress max={samplePets.length} value={done} aria-label="Sample animals added" />
        </p>
      )}
      <div class="empty-actions">
        {problem && <Button text="Stop here" onClick={leave} />}
        {!readOnly && (
          <Button
            text={loading ? 'Loading…' : problem ? 'Continue' : 'Load sample animals'}
            onClick={load}
            aria-disabled={loading}
          />
        )}
      </div>
    </div>
  )
}
