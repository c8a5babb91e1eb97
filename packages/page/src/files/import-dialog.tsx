// Adding the animals of a CSV file: what is in it and what is wrong with it is shown before anything is added.

import { useLayoutEffect, useState } from 'preact/hooks'
import { PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { useBusy } from '../busy.ts'
import { Dialog } from '../dialog.tsx'
import { toFailure } from '../failures.ts'
import { Name } from '../name.tsx'
import { Notice } from '../notice.tsx'
import { number } from '../phrases.ts'
import { Status } from '../status.tsx'
import { FileChanged, type FileContents, readFile } from './read-file.ts'

/** Requests in flight; a browser opens six connections. */
const AT_ONCE = 5
const RETRIES = 8
const SHOWN_MAX = 5

interface ImportDialogProps {
  client: PetstoreClient
  open: boolean
  setOpen: (open: boolean) => void
  onAdded: () => void
}

interface Progress {
  added: number
  /** By an earlier import of the same file. */
  earlier: number
  refused: readonly string[]
}

const NOTHING_YET: Progress = { added: 0, earlier: 0, refused: [] }

export function ImportDialog({ client, open, setOpen, onAdded }: ImportDialogProps) {
  const [contents, setContents] = useState<FileContents>()
  const [progress, setProgress] = useState<Progress>()
  const [problem, setProblem] = useState('')
  const [busy, once] = useBusy()
  const [file, setFile] = useState<File>()
  const [fromExcel, setFromExcel] = useState(false)

  const choose = (file: File | undefined, isExcel = fromExcel) =>
    once(async () => {
      setFile(file)
      setProblem('')
      setProgress(undefined)
      setContents(undefined)
      if (!file) return
      try {
        setContents(await readFile(file, isExcel, SHOWN_MAX))
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error))
      }
    })

  const add = (contents: FileContents) =>
    once(async () => {
      setProblem('')
      try {
        await addAll(client, contents, setProgress)
      } catch (error) {
        const why = (error instanceof FileChanged ? error : toFailure(error)).message
        setProblem(`${why} What was added stays; go on when you like, nothing is added twice.`)
      }
      onAdded()
    })

  useDroppedFile((file) => {
    setOpen(true)
    choose(file)
  })

  return (
    <Dialog id="import-title" title="Import animals" open={open} setOpen={setOpen}>
      <div class="dialog-body">
        <div class="field">
          <label for="import-file">A CSV file, chosen or dropped on the page</label>
          <input
            id="import-file"
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            disabled={busy}
            onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
          />
          <p class="hint">With the columns name, categoryId and, if you like, status. Spreadsheets can save one.</p>
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={fromExcel}
            disabled={busy}
            onChange={({ currentTarget }) => {
              setFromExcel(currentTarget.checked)
              choose(file, currentTarget.checked)
            }}
          />{' '}
          It was exported for Excel: take off the apostrophe before =, +, -, @ and '
        </label>
        {problem && <Notice kind="error" title={problem} />}
        {contents && <Contents contents={contents} />}
        {contents && progress && <Result {...{ progress, contents }} />}
        <div class="dialog-actions">
          {contents && contents.count > 0 && (
            <button type="button" class="primary" aria-disabled={busy} onClick={() => add(contents)}>
              {busy ? 'Adding…' : progress ? 'Again' : `Add ${number(contents.count)}`}
            </button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** Wherever on the page it is dropped: otherwise the browser would leave the page for it. */
function useDroppedFile(take: (file: File) => void): void {
  useLayoutEffect(() => {
    window.ondragover = window.ondrop = (event) => {
      const { files, types } = event.dataTransfer ?? {}
      if (!types?.includes('Files')) return
      event.preventDefault()
      if (event.type === 'drop' && files?.[0]) take(files[0])
    }
    return () => {
      window.ondragover = window.ondrop = null
    }
  })
}

function Contents({ contents: { count, first, problems } }: { contents: FileContents }) {
  return (
    <>
      <ul class="import-rows">
        {first.map(({ line, pet: { name, categoryId, status = 'available' } }) => (
          <li key={line}>
            <Name name={name} /> <span class="muted">Category {String(categoryId)}</span>{' '}
            <span class="import-status">
              <Status status={status} />
            </span>
          </li>
        ))}
        {count > first.length && <li class="muted">and {number(count - first.length)} more</li>}
      </ul>
      <Problems title={`${number(problems.length)} cannot be added:`} problems={problems} />
    </>
  )
}

function Problems({ title, problems }: { title: string; problems: readonly string[] }) {
  if (problems.length === 0) return null
  return (
    <Notice kind="warning" title={title}>
      {problems.slice(0, SHOWN_MAX).join(' ')} {problems.length > SHOWN_MAX && '…'}
    </Notice>
  )
}

function Result({ progress: { added, earlier, refused }, contents }: { progress: Progress; contents: FileContents }) {
  const done = added + earlier + refused.length
  return (
    <>
      <progress max={contents.count} value={done} aria-label="Animals of the file" />
      <p role="status">
        {number(added)} added{earlier > 0 && `, ${number(earlier)} were there already`}.
      </p>
      <Problems title={`${number(refused.length)} were refused:`} problems={refused} />
    </>
  )
}

/** Rejects when the service cannot be reached for long; what it refuses is reported, and the rest is added. */
async function addAll(
  client: PetstoreClient,
  { digest, records }: FileContents,
  report: (progress: Progress) => void,
): Promise<void> {
  let { added, earlier } = NOTHING_YET
  const refused: string[] = []
  const open = records()
  async function work(): Promise<void> {
    // The first worker that cannot go on ends it for all.
    for await (const { pet, line } of open) {
      const idempotencyKey = `import-${digest}-${line}`
      let replayed = false
      const onReplayed = () => {
        replayed = true
      }
      try {
        await client.createPet(pet, { idempotencyKey, onReplayed, retries: RETRIES })
        if (replayed) earlier++
        else added++
      } catch (error) {
        if (!(error instanceof PetstoreApiError) || error.status !== 400) throw error
        refused.push(`Line ${line}: ${error.message}`)
      }
      if ((added + earlier) % 50 === 0) report({ added, earlier, refused })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  report({ added, earlier, refused })
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
