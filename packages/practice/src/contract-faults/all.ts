// Every lie that can be told of the service, by the id of the promise that it breaks.

import { type Behaviour, type RunningProxy, startProxy } from '../proxy.ts'
import { BODY_LIES } from './bodies.ts'
import { CHANGE_LIES } from './changes.ts'
import { CORRECTION_LIES } from './corrections.ts'
import { PETS_ADDED_LIES } from './create-pet.ts'
import { EVENT_LIES } from './events.ts'
import { PETS_READ_LIES } from './get-pet.ts'
import { REPEAT_LIES } from './idempotency.ts'
import { INTERFACE_LIES } from './interface.ts'
import { KEY_LIES } from './keys.ts'
import { READ_LIES } from './lists.ts'
import { PARAMETER_LIES } from './parameters.ts'
import { ORDER_PLACED_LIES } from './place-order.ts'
import { STORE_LIES } from './read-orders.ts'
import { SEARCH_LIES } from './search.ts'
import type { Lies } from './shared/builders.ts'
import { ACCESS_LIES } from './store-keys.ts'

export const LIES: Lies = {
  ...ACCESS_LIES,
  ...PARAMETER_LIES,
  ...READ_LIES,
  ...BODY_LIES,
  ...REPEAT_LIES,
  ...CHANGE_LIES,
  ...INTERFACE_LIES,
  ...KEY_LIES,
  ...PETS_READ_LIES,
  ...PETS_ADDED_LIES,
  ...ORDER_PLACED_LIES,
  ...STORE_LIES,
  ...EVENT_LIES,
  ...CORRECTION_LIES,
  ...SEARCH_LIES,
}

/** The service, wrong in exactly one way. `service` is its base URL. Throws an Error for a lie that there is not. */
export function startLiar(service: string, breaks: string): Promise<RunningProxy> {
  return startProxy(service, lieThatBreaks(breaks))
}

/** Throws an Error for a lie that there is not. */
export function lieThatBreaks(promise: string): Behaviour {
  const tell = Object.hasOwn(LIES, promise) ? LIES[promise] : undefined
  if (!tell) throw new Error(`There is no lie that breaks ${promise}.`)
  return tell()
}
