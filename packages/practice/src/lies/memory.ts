// The lies that remember what was asked and answered before. Each proxy has a memory of its own.

import { type Json, stringifyJson } from '../../../contract/src/json.ts'
import {
  type Change,
  errorAnswer,
  header,
  isOf,
  items,
  jsonAnswer,
  type Lie,
  objectOf,
  pathOf,
  put,
  textOf,
  type When,
  type WhenAnswered,
  withKey,
} from '../lie-builders.ts'
import { headerOf } from '../messages.ts'
import type { Asked, Behaviour } from '../proxy.ts'
import { CANCEL, COMPLETE, CREATE, PETS, PLACE } from './words.ts'

/** Where the answer has this status, asks again with the first API key that was seen at work; gives that answer if it has a status of `only`. */
export function withFirstKey(operations: string, status: number, only?: number): Lie {
  return () => {
    let key: string | undefined
    return async (asked, pass) => {
      const answered = await pass(asked)
      if (answered.status === 200) key ??= headerOf(asked.headers, 'Authorization')
      if (answered.status !== status || !isOf(asked, operations)) return answered
      const other = await pass(withKey(asked, key))
      return only === undefined || other.status === only ? other : answered
    }
  }
}

/** Refuses every API key but the first that was seen at work. */
export function refusingOthers(operations: string): Lie {
  return () => {
    let key: string | undefined
    return async (asked, pass) => {
      const answered = await pass(asked)
      if (answered.status !== 200) return answered
      const given = headerOf(asked.headers, 'Authorization')
      key ??= given
      return given !== key && isOf(asked, operations) ? errorAnswer(403, 'read_only_key') : answered
    }
  }
}

/** Too many requests, once, without a hint when to come back. */
export const refusingOnce = (): Behaviour => {
  let count = 0
  return async (asked, pass) => (++count === 5 ? errorAnswer(429, 'rate_limited') : pass(asked))
}

/** Hides what was added through this proxy: in a list, or as `change` says. */
export function forgetting(operation: string, when: When, change?: Change): Lie {
  return () => {
    const added = new Set<string>()
    const isAdded = (pet: Json) => pet instanceof Map && added.has(textOf(pet.get('id')))
    const hide = change ?? items((pets) => pets.filter((pet) => !isAdded(pet)))
    return async (asked, pass) => {
      const answered = await pass(asked)
      if (isOf(asked, CREATE) && answered.status === 201) added.add(textOf(objectOf(answered).get('id')))
      const isMeant = isOf(asked, operation) && when(asked) && (!change || isAdded(objectOf(answered)))
      return isMeant ? hide(answered, asked) : answered
    }
  }
}

/** Adds what was refused, as far as it has a name. */
export const addingRefused = (): Behaviour => async (asked, pass) => {
  const answered = await pass(asked)
  const name = objectOf(asked).get('name')
  if (isOf(asked, CREATE) && answered.status === 400 && typeof name === 'string' && name !== '') {
    await pass({ ...asked, body: Buffer.from(stringifyJson({ name, categoryId: 7 })) })
  }
  return answered
}

/** The first tag of an address stays its tag, whatever becomes of the answer. */
export function keepingTags(operation: string): Lie {
  return () => {
    const tags = new Map<string, string>()
    return async (asked, pass) => {
      if (!isOf(asked, operation)) return pass(asked)
      const first = tags.get(asked.target)
      const current = headerOf(
        (await pass({ ...asked, headers: asked.headers.filter(([name]) => !/^If-/i.test(name)) })).headers,
        'ETag',
      )
      if (!current) return pass(asked)
      if (!first) tags.set(asked.target, current)
      const kept = first ?? current
      const headers = asked.headers.map(
        ([name, value]) => [name, /^If-/i.test(name) ? value.replaceAll(kept, current) : value] as const,
      )
      const answered = await pass({ ...asked, headers })
      return headerOf(answered.headers, 'ETag') ? header('ETag', kept)(answered, asked) : answered
    }
  }
}

/** An order that the service refused. */
export const soldAgain: Change = (_, asked) => {
  const at = new Date().toISOString()
  const petId = objectOf(asked).get('petId')
  const order = { id: 7_000_000, petId, petName: 'petstore verify', status: 'pending', placedAt: at, changedAt: at }
  return header('Location', `${asked.target}/7000000`)(jsonAnswer(201, order), asked)
}

/** Of requests with the same `subject` that arrive while one of them runs, what was refused with 409 is answered otherwise. */
function racing(subject: (asked: Asked) => string | undefined, change: Change): Lie {
  return () => {
    const running: string[] = []
    return async (asked, pass) => {
      const id = subject(asked)
      if (id === undefined) return pass(asked)
      const isSecond = running.includes(id)
      running.push(id)
      const answered = await pass(asked)
      running.splice(running.indexOf(id), 1)
      return answered.status === 409 && isSecond ? change(answered, asked) : answered
    }
  }
}

/** Of the orders for one pet that arrive together, all are placed. */
export const sellingTwice = racing(
  (asked) => (isOf(asked, PLACE) ? textOf(objectOf(asked).get('petId')) : undefined),
  soldAgain,
)

/** Of an order's completion and cancellation that arrive together, both succeed. */
export const succeedingTogether = racing(
  (asked) => (isOf(asked, `${COMPLETE}|${CANCEL}`) ? pathOf(asked.target).split('/')[3] : undefined),
  () => jsonAnswer(200, {}),
)

/** An expired order cannot be cancelled. */
export const refusingExpired = (): Behaviour => async (asked, pass) => {
  const answered = await pass(asked)
  if (!isOf(asked, CANCEL) || answered.status !== 204) return answered
  const { body } = await pass({ ...asked, method: 'GET' })
  return body.includes('"expired"') ? errorAnswer(409, 'order_not_pending') : answered
}

/** What succeeded once at an address has another answer from then on. */
export function secondTime(operation: string, change: Change): Lie {
  return () => {
    const done = new Set<string>()
    return async (asked, pass) => {
      const answered = await pass(asked)
      if (!isOf(asked, operation) || answered.status >= 300) return answered
      const again = done.has(asked.target)
      done.add(asked.target)
      return again ? change(answered, asked) : answered
    }
  }
}

/** The pet of an order that was moved in this way, or was seen so, stays pending, for all that can be seen. */
export function stuckAfter(operation: string, isMeant: WhenAnswered = (_, { status }) => status < 300): Lie {
  return () => {
    const petOfOrder = new Map<string, string>()
    const stuck = new Set<string>()
    return async (asked, pass) => {
      const answered = await pass(asked)
      const orderId = pathOf(asked.target).split('/')[3] ?? ''
      if (isOf(asked, 'POST /store/orders'))
        petOfOrder.set(textOf(objectOf(answered).get('id')), textOf(objectOf(asked).get('petId')))
      if (isOf(asked, operation) && isMeant(asked, answered)) stuck.add(petOfOrder.get(orderId) ?? '')
      return isOf(asked, PETS) && stuck.has(textOf(objectOf(answered).get('id')))
        ? put('status', 'pending')(answered, asked)
        : answered
    }
  }
}

/** A pet is not available once an order of it was cancelled. */
export const refusingAfterCancel = (): Behaviour => {
  const petOfOrder = new Map<string, string>()
  const cancelled = new Set<string>()
  return async (asked, pass) => {
    const petId = textOf(objectOf(asked).get('petId'))
    if (isOf(asked, 'POST /store/orders') && petId !== '' && cancelled.has(petId))
      return errorAnswer(409, 'pet_not_available')
    const answered = await pass(asked)
    if (isOf(asked, 'POST /store/orders')) petOfOrder.set(textOf(objectOf(answered).get('id')), petId)
    if (isOf(asked, 'DELETE /store/orders/*'))
      cancelled.add(petOfOrder.get(pathOf(asked.target).split('/')[3] ?? '') ?? '')
    return answered
  }
}

/** The first answer of an address stays its answer. */
export function frozen(operation: string, when: When = () => true): Lie {
  return () => {
    const first = new Map<string, Buffer>()
    return async (asked, pass) => {
      const answered = await pass(asked)
      if (!isOf(asked, operation) || !when(asked) || answered.status !== 200) return answered
      if (!first.has(asked.target)) first.set(asked.target, answered.body)
      return { ...answered, body: first.get(asked.target) ?? answered.body }
    }
  }
}
