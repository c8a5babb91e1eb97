// Several animals that are sold or reserved together, each with its own order and the same reference, so that a lost
// response is safe to retry.

import { signal } from '@preact/signals'
import type { Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import type { RecordId } from '../address.ts'
import { toFailure } from '../failures.ts'
import { brief } from '../phrases.ts'
import { type Action, actionsOf, type Subject } from './actions.ts'
import { type Choices, OrderTask } from './order-task.ts'

export type GroupAction = Extract<Action, 'sell' | 'reserve'>

export interface GroupStart {
  action: GroupAction
  subjects: readonly Subject[]
  /** The action on the first animal, if it was begun before the others were added, with its choices. */
  begun?: { task: OrderTask; choices: Choices }
  /** A code that was scanned. `inReference`: into the field of the customer. */
  scan?: { record: RecordId; inReference: boolean }
}

/** Without vowels, which could spell words, and without letters that look like digits. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ23456789'
const RECEIPT_LENGTH = 10

/** Two tills do not create the same one in a million years. It begins with a letter, so it is never an id. */
export function receiptNumber(): string {
  const random = crypto.getRandomValues(new Uint32Array(RECEIPT_LENGTH))
  return `R${Array.from(random, (value) => LETTERS[value % LETTERS.length]).join('')}`
}

export class Group {
  readonly tasks = signal<readonly OrderTask[]>([])
  /** The orders that are done, as they were before, by task. */
  readonly done = signal<ReadonlyMap<OrderTask, Order>>(new Map())
  readonly isBusy = signal(false)
  /** About the last animal that was added or not. */
  readonly news = signal('')
  readonly #props: { client: PetstoreClient; action: GroupAction; placed: Set<bigint> }
  #receipt: string | undefined

  constructor(props: { client: PetstoreClient; action: GroupAction; placed: Set<bigint> }) {
    this.#props = props
  }

  /**
   * Returns whether the animal was added. `task`: an action on it that was begun before the others were added.
   */
  add(subject: Subject, task?: OrderTask): boolean {
    const { action } = this.#props
    const name = brief(subject.name)
    const isKnown = this.tasks.peek().some(({ petId }) => petId === subject.petId)
    const isPossible = actionsOf(subject.status).includes(action)
    const reason = isKnown ? 'in the list already' : subject.status === 'sold' ? 'sold' : 'reserved'
    this.news.value = isKnown || !isPossible ? `${name} is ${reason}.` : `${name} was added.`
    if (isKnown || !isPossible) return false
    const added =
      task ?? new OrderTask({ ...this.#props, subject }, { onChange: () => undefined, onDone: () => undefined })
    added.listener = {
      onChange: () => undefined,
      onDone: (order) => {
        this.done.value = new Map(this.done.peek()).set(added, order)
      },
    }
    this.tasks.value = [...this.tasks.peek(), added]
    added.begin()
    return true
  }

  addPet({ id, name, status }: Pick<Pet, 'id' | 'name' | 'status'>): void {
    this.add({ petId: id, name, status })
  }

  remove(task: OrderTask): void {
    this.news.value = `${brief(task.name)} was removed.`
    this.tasks.value = this.tasks.peek().filter((one) => one !== task)
  }

  get open(): readonly OrderTask[] {
    return this.tasks.value.filter((task) => !this.done.value.has(task) && task.state.value.is !== 'blocked')
  }

  get blocked(): OrderTask | undefined {
    return this.tasks.value.find((task) => task.state.value.is === 'blocked')
  }

  /** The receipt number that was created, or the reference that was typed. */
  referenceOf(choices: Choices): string {
    const typed = choices.reference.trim()
    if (!typed && this.tasks.peek().length > 1) this.#receipt ??= receiptNumber()
    return typed || (this.#receipt ?? '')
  }

  /** Sells or reserves one animal after the other, and stops at the first one that fails. */
  async submit(choices: Choices): Promise<void> {
    const reference = this.referenceOf(choices)
    await this.#work(async () => {
      for (const task of this.open) {
        await task.submit({ ...choices, reference }, true)
        if (!this.done.peek().has(task)) return
      }
    })
  }

  /** Takes back or releases what is done. Can be repeated if a response was lost. */
  async takeBack(): Promise<void> {
    const { client, action } = this.#props
    await this.#work(async () => {
      for (const [task, { id }] of this.done.peek()) {
        await (action === 'sell' ? client.returnOrder(id) : client.cancelOrder(id))
        this.done.value = new Map([...this.done.peek()].filter(([one]) => one !== task))
      }
    })
  }

  async #work(work: () => Promise<void>): Promise<void> {
    if (this.isBusy.peek()) return
    this.isBusy.value = true
    this.news.value = ''
    try {
      await work()
    } catch (error) {
      this.news.value = toFailure(error).message
    } finally {
      this.isBusy.value = false
    }
  }
}

/** "3 animals are sold for Anna." */
export function groupSentence(action: GroupAction, orders: readonly Order[]): string {
  const [first] = orders
  const subject = orders.length === 1 && first ? `${brief(first.petName)} is` : `${orders.length} animals are`
  return `${subject} ${action === 'sell' ? 'sold' : 'reserved'}.`
}
