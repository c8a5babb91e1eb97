// Generates the changes that clients request.

import { monotonicMs } from '../../packages/service/src/system/runtime.ts'
import type { Picker } from './known.ts'
import { type Ask, type Asked, type OrderChange, type PetChange, thingOf } from './operations.ts'
import { requestOf } from './requests.ts'

export const CATEGORIES = [1, 2, 3]

export function add(by: Picker): Asked {
  return by.random() < 0.6 ? keyed(by, addition(by)) : addition(by)
}

export function place(by: Picker): Asked {
  return by.random() < 0.5 ? keyed(by, placement(by)) : placement(by)
}

function addition(by: Picker): Asked {
  const status = by.pick(['available', 'available', 'available', 'pending', 'sold', undefined])
  const pet = { name: by.name('added'), categoryId: by.pick(CATEGORIES), ...(status ? { status } : {}) }
  return requestOf({ kind: 'add', ...pet })
}

function placement(by: Picker): Asked {
  const ends = by.random() < 0.65 ? { expiresAt: by.soon() } : {}
  return requestOf({ kind: 'place', petId: by.pet(), reference: by.name('order'), ...ends })
}

/** Remembers the request, so that a client can repeat it, sometimes with another API key, which makes it a different request. */
function keyed(by: Picker, asked: Asked, idempotencyKey = `key-${by.known.count}`, keyedAt = monotonicMs()): Asked {
  const sent = { ...asked, key: by.key(), idempotencyKey, keyedAt }
  by.known.keyed.push(sent)
  return sent
}

/** Repeats a request, or sends a different one with a used key. */
export function repeat(by: Picker): Asked | undefined {
  const sent = by.known.keyed.filter(({ keyedAt }) => monotonicMs() - keyedAt < by.known.repeatMsMax)
  const asked = by.pick(by.random() < 0.5 ? sent.slice(-10) : sent)
  if (!asked?.idempotencyKey || by.random() < 0.7) return asked
  if (by.random() < 0.4) return keyed(by, asked, asked.idempotencyKey, asked.keyedAt)
  const other = by.random() < 0.5 ? placement(by) : addition(by)
  const key = by.random() < 0.8 ? asked.key : by.key()
  return { ...other, ...(key ? { key } : {}), idempotencyKey: asked.idempotencyKey }
}

export function correct(by: Picker): Asked | undefined {
  if (by.random() < 0.15) return by.pick(by.known.corrections.slice(-20))
  const to: PetChange = {
    ...(by.random() < 0.6 ? { name: by.name('renamed') } : {}),
    ...(by.random() < 0.3 ? { categoryId: by.pick(CATEGORIES) } : {}),
    ...(by.random() < 0.3 ? { status: by.pick(['available', 'available', 'available', 'sold']) } : {}),
  }
  return matched(by, { kind: 'correct', id: by.pet(), to: Object.keys(to).length > 0 ? to : { status: 'available' } })
}

export function remove(by: Picker): Asked {
  return matched(by, { kind: 'delete', id: by.pick(by.known.pets.slice(-by.known.hot)) })
}

export function move(by: Picker): Asked | undefined {
  const id = by.order()
  if (!id) return undefined
  return matched(by, { kind: by.pick(['complete', 'complete', 'return', 'cancel'] as const), id })
}

export function change(by: Picker): Asked | undefined {
  // One of the newest orders is probably still pending.
  const id = by.random() < 0.7 ? by.pick(by.known.orders.slice(-2)) : by.order()
  if (!id || by.random() < 0.15) return by.pick(by.known.corrections.slice(-20))
  const back = changeBack(by, id)
  if (back && by.random() < 0.4) by.known.next.push(back)
  const reference = by.random() < 0.8 ? { reference: by.random() < 0.9 ? by.name('changed') : null } : {}
  const isEnd = !('reference' in reference) || by.random() < 0.7
  const end = isEnd ? { expiresAt: by.random() < 0.6 ? null : by.soon() } : {}
  return matched(by, { kind: 'change', id, to: { ...reference, ...end } })
}

/** Requests the terms that a client saw last. The next client sends it, perhaps in the same transaction. */
function changeBack(by: Picker, id: number): Asked | undefined {
  const shown = by.known.tagged.get(`order ${id}`)
  if (!shown) return undefined
  const { reference = null, expiresAt = null }: OrderChange = JSON.parse(shown.text)
  return requestOf({ kind: 'change', id, to: { reference, expiresAt } })
}

/** Often adds `If-Match` with the newest known tag, the one before it, or both. */
function matched(by: Picker, ask: Ask & { id: number }): Asked {
  const asked = requestOf(ask)
  const { tagged, outdated } = by.known
  const known = by.pick([[tagged], [tagged], [outdated], [tagged, outdated], [outdated, tagged]])
  const ifMatch = known.flatMap((tags) => tags.get(thingOf(ask) ?? '') ?? [])
  const sent = ifMatch.length > 0 && by.random() < 0.5 ? { ...asked, ifMatch } : asked
  if (ask.kind === 'correct' || ask.kind === 'change') by.known.corrections.push(sent)
  return sent
}
