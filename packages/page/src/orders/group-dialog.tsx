// The dialog that sells or reserves several animals together. A scan or a search adds one more.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Order, type Pet, PetstoreApiError } from '../../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { type RecordId, recordIn } from '../address.ts'
import { noneIs, readById } from '../animal/by-id.ts'
import { labelOf } from '../animal/status-labels.ts'
import { toFailure } from '../failures.ts'
import { type Service, useEvents } from '../live/feed.ts'
import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog, type Opening } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { Name } from '../parts/name.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { brief, terms } from '../phrases.ts'
import { useScans } from '../scan.ts'
import { ACTION_LABELS, DOING_LABELS } from './actions.ts'
import { Group, type GroupAction, type GroupStart, groupSentence } from './group.ts'
import { HoldField } from './hold-field.tsx'
import { adviceOn, problemOf } from './order-dialog.tsx'
import type { Choices, OrderTask } from './order-task.ts'

const OFFERED_MAX = 5
const NO_CHOICES: Choices = { reference: '', hold: 'day', until: '' }

interface GroupDialogProps extends Service, Opening, GroupStart {
  placed: Set<bigint>
  onChange: () => void
  /** `orders`: as they were before. */
  onDone: (sentence: string, orders: readonly Order[]) => void
}

export function GroupDialog({
  client,
  feed,
  open,
  setOpen,
  action,
  placed,
  onChange,
  onDone,
  ...start
}: GroupDialogProps) {
  const [group] = useState(() => startGroup(new Group({ client, action, placed }), start))
  const [choices, setChoices] = useState<Choices>(() => ({ ...NO_CHOICES, ...start.begun?.choices }))
  const choose = (change: Partial<Choices>) => setChoices((before) => ({ ...before, ...change }))
  const [none, setNone] = useState('')
  const { tasks, done, isBusy, news } = group
  const [all, finished] = [tasks.value, done.value]
  const busy = isBusy.value || all.some((task) => task.state.value.is === 'looking')
  const verb = action === 'sell' ? 'sold' : 'reserved'
  useEvents(feed, (events) => {
    for (const task of group.open) if (events.some(({ petId }) => petId === task.petId)) void task.check()
  })

  async function addRecord(record: RecordId, inReference: boolean): Promise<void> {
    setNone('')
    try {
      const found = await readById(client, record)
      if (found) return group.addPet('petId' in found ? ((await readById(client, animalOf(found))) as Pet) : found)
      const isReceipt = inReference && record.kind === 'animal'
      if (isReceipt) setChoices((before) => ({ ...before, reference: before.reference + record.id }))
      setNone(`${noneIs(record)}${isReceipt ? ' It stays as the receipt number.' : ''}`)
    } catch (error) {
      setNone(`Nothing was added. ${toFailure(error).message}`)
    }
  }
  useScans(open, ({ record, field, remove }) => {
    remove()
    void addRecord(record, field?.id === REFERENCE_ID)
  })
  useLayoutEffect(() => {
    if (start.scan) void addRecord(start.scan.record, start.scan.inReference)
  }, [])

  function close(): void {
    // The dialog reports its own closing, too.
    if (!open) return
    setOpen(false)
    const orders = [...done.peek().values()]
    if (orders.length > 0) onDone(groupSentence(action, orders), orders)
    else onChange()
  }

  async function submit(): Promise<void> {
    await group.submit(choices)
    if (group.open.length === 0 && done.peek().size > 0) close()
    // If it was closed in the meantime, it shows the problem.
    else setOpen(true)
  }

  async function takeBack(): Promise<void> {
    await group.takeBack()
    if (done.peek().size === 0) group.news.value = `Nothing is ${verb} now.`
  }

  const left = group.open.length
  return (
    <FormDialog
      id="group-title"
      title={`${ACTION_LABELS[action]} ${all.length === 1 ? brief(all[0]?.name ?? '') : `${all.length} animals`}`}
      {...{ open, busy }}
      setOpen={close}
      submit={() => void submit()}
      action={left === 0 ? undefined : busy ? DOING_LABELS[action] : labelFor(group, action)}
      others={
        finished.size > 0 && (
          <Button
            text={`${ACTION_LABELS[action === 'sell' ? 'takeBack' : 'release']} ${finished.size}`}
            onClick={takeBack}
          />
        )
      }
    >
      <Problem {...{ group, verb }} />
      {(none || news.value) && (
        <p class="hint" role="status" translate={false}>
          {none || news.value}
        </p>
      )}
      <ul class="group" aria-label="Animals">
        {all.map((task) => (
          <Member key={String(task.petId)} {...{ task, group }} verb={finished.has(task) ? verb : ''} />
        ))}
      </ul>
      <AddField {...{ client, group, addRecord }} />
      <TextField
        id={REFERENCE_ID}
        label="For whom"
        dir="auto"
        maxLength={TEXT_LENGTH_MAX}
        value={choices.reference}
        setText={(reference) => choose({ reference })}
        hint="Customer or receipt number of all of them. If it is empty, they get a new receipt number."
      />
      {action === 'reserve' && <HoldField {...choices} setEnd={choose} />}
    </FormDialog>
  )
}

const REFERENCE_ID = 'group-reference'

function startGroup(group: Group, { subjects, begun }: Pick<GroupStart, 'subjects' | 'begun'>): Group {
  const refused: string[] = []
  for (const [n, subject] of subjects.entries()) {
    if (!group.add(subject, n === 0 ? begun?.task : undefined)) refused.push(group.news.value)
  }
  group.news.value = refused.join(' ')
  return group
}

function animalOf({ petId }: Order): RecordId {
  return { kind: 'animal', id: petId }
}

function labelFor({ blocked, done, open }: Group, action: GroupAction): string {
  if (blocked || done.value.size > 0) return `${ACTION_LABELS[action]} the other ${open.length}`
  return open.some(({ state }) => state.value.is === 'failed') ? 'Try again' : ACTION_LABELS[action]
}

/** Why the first animal could not be sold, and what is done. */
function Problem({ group, verb }: { group: Group; verb: string }) {
  const { blocked, done, tasks, isBusy } = group
  const failed = tasks.value.map(({ state }) => state.value).find((state) => state.is === 'failed')
  const counts = `${done.value.size} of ${tasks.value.length} are ${verb}.`
  const state = blocked?.state.value
  if (isBusy.value) return null
  if (state?.is === 'blocked') return <Notice kind="warning" title={state.what} text={counts} />
  if (failed?.is !== 'failed') return null
  return (
    <Notice
      kind="error"
      title={problemOf(failed.failure, false)}
      text={`${counts} ${adviceOn(failed.failure, false)}`}
    />
  )
}

function Member({ task, group, verb }: { task: OrderTask; group: Group; verb: string }) {
  const state = task.state.value
  const order = task.order.value
  const note =
    verb ||
    (state.is === 'blocked' ? 'not possible' : task.overtaken.value || (order && labelOf(order.status) + terms(order)))
  return (
    <li>
      <span>
        <Name name={task.name} />
        <span class="hint" translate={false}>
          {`Id ${task.petId}${note ? ` · ${note}` : ''}`}
        </span>
      </span>
      {!verb && (
        <Button
          text={<Icon name="close" />}
          class="quiet"
          aria-label={`Remove ${brief(task.name)}`}
          onClick={() => group.remove(task)}
        />
      )}
    </li>
  )
}

interface AddFieldProps extends Pick<Service, 'client'> {
  group: Group
  addRecord: (record: RecordId, inReference: boolean) => Promise<void>
}

/** Finds an animal by its id or name at Enter. If several fit, each gets a button. */
function AddField({ client, group, addRecord }: AddFieldProps) {
  const [text, setText] = useState('')
  const [offered, setOffered] = useState<readonly Pet[]>([])
  const [problem, setProblem] = useState('')
  const [, once] = useBusy()
  const field = useRef<HTMLDivElement>(null)

  async function search(): Promise<void> {
    const record = recordIn(text.trim())
    if (record) {
      setText('')
      return addRecord(record, false)
    }
    try {
      const { pets } = await client.listPage({ search: text.trim(), limit: OFFERED_MAX })
      setOffered(pets)
      if (pets.length === 0) setProblem(`No name has a word that begins with “${brief(text)}”.`)
      if (pets.length === 1) add(pets[0] as Pet)
    } catch (error) {
      setProblem(
        error instanceof PetstoreApiError && error.status === 400
          ? 'Type more letters of a name.'
          : toFailure(error).message,
      )
    }
  }

  function add(pet: Pet): void {
    group.addPet(pet)
    setText('')
    setOffered([])
    field.current?.querySelector('input')?.focus()
  }

  return (
    <div ref={field} class="field">
      <TextField
        id="group-search"
        label="Another animal"
        dir="auto"
        maxLength={TEXT_LENGTH_MAX}
        placeholder="Scan it, or type a name or an id"
        value={text}
        setText={(next) => {
          setProblem('')
          setOffered([])
          setText(next)
        }}
        problem={problem}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing || !text.trim()) return
          event.preventDefault()
          void once(search)
        }}
      />
      {offered.length > 1 && (
        <fieldset class="actions">
          <legend class="visually-hidden">Found animals</legend>
          {offered.map((pet) => (
            <Button
              key={String(pet.id)}
              class="small"
              text={`${brief(pet.name)} (${pet.id})`}
              onClick={() => add(pet)}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}
