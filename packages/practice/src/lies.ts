// Every lie that can be told of the service, by the id of the promise that it breaks.

import type { Lies } from './lie-builders.ts'
import { ACCESS_LIES } from './lies/access.ts'
import { BODY_LIES } from './lies/bodies.ts'
import { CHANGE_LIES } from './lies/changes.ts'
import { CORRECTION_LIES } from './lies/corrections.ts'
import { EVENT_LIES } from './lies/events.ts'
import { INTERFACE_LIES } from './lies/interface.ts'
import { KEY_LIES } from './lies/keys.ts'
import { ORDER_PLACED_LIES } from './lies/orders-placed.ts'
import { PARAMETER_LIES } from './lies/parameters.ts'
import { PETS_ADDED_LIES } from './lies/pets-added.ts'
import { PETS_READ_LIES } from './lies/pets-read.ts'
import { READ_LIES } from './lies/reads.ts'
import { REPEAT_LIES } from './lies/repeats.ts'
import { SEARCH_LIES } from './lies/search.ts'
import { STORE_LIES } from './lies/store.ts'
import { type Behaviour, type RunningProxy, startProxy } from './proxy.ts'

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
