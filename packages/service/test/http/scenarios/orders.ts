// What the scenarios of orders share: a new pet, an order of it, and what has become of either.

import { expect } from 'bun:test'
import { cursorAfter } from '../../../../../test/support/cursors.ts'
import { petBody } from '../../../../../test/support/pets.ts'
import type { Answer } from '../../../../../test/support/service.ts'
import { type Api, JSON_TYPE } from './api.ts'

export interface OrderBody {
  id: number
  petId: number
  petName: string
  status: string
  placedAt: string
  changedAt: string
  reference?: string
  expiresAt?: string
}

export function ordersOf(api: Api) {
  const request = (ask: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> => {
    const [method = '', path = ''] = ask.split(' ')
    return api.service.request(method, path, { headers, body })
  }

  const get = (path: string, headers?: Record<string, string>): Promise<Answer> => request(`GET ${path}`, headers)

  async function newPet(fields: { name?: string; status?: string } = {}): Promise<number> {
    const { text } = await api.service.post(petBody(fields), JSON_TYPE)
    return JSON.parse(text).id
  }

  const place = (body: object | string, headers: Record<string, string> = {}): Promise<Answer> =>
    request('POST /store/orders', { ...JSON_TYPE, ...headers }, typeof body === 'string' ? body : JSON.stringify(body))

  /** A new order; of a new pet, unless it names one. */
  async function placed(body: { petId?: number; reference?: string; expiresAt?: string } = {}): Promise<OrderBody> {
    const answer = await place({ ...body, petId: body.petId ?? (await newPet()) })
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 })
    return JSON.parse(answer.text)
  }

  async function petStatus(petId: number): Promise<string> {
    const { text } = await api.service.get(`/pets?limit=1&cursor=${cursorAfter(BigInt(petId) - 1n)}`)
    const [pet] = JSON.parse(text)
    expect(pet.id).toBe(petId)
    return pet.status
  }

  const read = (id: number): Promise<Answer> => request(`GET /store/orders/${id}`)
  const complete = (id: number, headers?: Record<string, string>): Promise<Answer> =>
    request(`POST /store/orders/${id}/complete`, headers)
  const cancel = (id: number, headers?: Record<string, string>): Promise<Answer> =>
    request(`DELETE /store/orders/${id}`, headers)
  const giveBack = (id: number, headers?: Record<string, string>): Promise<Answer> =>
    request(`POST /store/orders/${id}/return`, headers)

  /** A new order that has come to this status. */
  async function orderThatIs(status: 'pending' | 'completed' | 'cancelled' | 'returned'): Promise<OrderBody> {
    const order = await placed()
    if (status === 'cancelled') await cancel(order.id)
    if (status === 'completed' || status === 'returned') await complete(order.id)
    if (status === 'returned') await giveBack(order.id)
    const now: OrderBody = JSON.parse((await read(order.id)).text)
    expect(now.status).toBe(status)
    return now
  }

  return { request, get, newPet, place, placed, petStatus, read, complete, cancel, giveBack, orderThatIs }
}

/** The store's clock is the test's on SQLite and the database's on PostgreSQL: while orders are tested, both show the same time. */
export function turnToNow({ service }: Api): void {
  service.clock.at = Date.now()
}

/** So many milliseconds from now, as the service writes it. */
export function after(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}
