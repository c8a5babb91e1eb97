// Every lie that can be told of the service, by the id of the promise that it breaks.

import { CORRECTION_LIES } from './lies/corrections.ts'
import { EVENT_LIES } from './lies/events.ts'
import { INTERFACE_LIES } from './lies/interface.ts'
import { KEY_LIES } from './lies/keys.ts'
import { ORDER_PLACED_LIES } from './lies/orders-placed.ts'
import { PETS_ADDED_LIES } from './lies/pets-added.ts'
import { PETS_READ_LIES } from './lies/pets-read.ts'
import { STORE_LIES } from './lies/store.ts'
import { type Behaviour, type RunningProxy, startProxy } from './proxy.ts'
import type { Lies } from './tell.ts'

export const LIES: Lies = {
  ...INTERFACE_LIES,
  ...KEY_LIES,
  ...PETS_READ_LIES,
  ...PETS_ADDED_LIES,
  ...ORDER_PLACED_LIES,
  ...STORE_LIES,
  ...EVENT_LIES,
  ...CORRECTION_LIES,
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
