// Shared by scenarios of orders: requests, and a clock at the real time.

import { petBody } from '../../../../../test/support/pets.ts'
import type { Answer } from '../../../../../test/support/service.ts'
import { type Api, JSON_TYPE } from './api.ts'

export function ordersOf(api: Api) {
  const request = (ask: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> => {
    const [method = '', path = ''] = ask.split(' ')
    return api.service.request(method, path, { headers, body })
  }
  const newPet = async (): Promise<number> => JSON.parse((await api.service.post(petBody(), JSON_TYPE)).text).id
  const place = (body: object): Promise<Answer> => request('POST /store/orders', JSON_TYPE, JSON.stringify(body))
  return { request, newPet, place }
}

/** Sets the test's clock, which SQLite uses, to the real time, which PostgreSQL uses. */
export function turnToNow({ service }: Api): void {
  service.clock.at = Date.now()
}
