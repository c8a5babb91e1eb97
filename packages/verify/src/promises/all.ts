// Every promise, in the order of the reports.

import { changePromises } from './change-orders.ts'
import { deletePetPromises, updatePetPromises } from './change-pets.ts'
import { createPetPromises } from './create-pet.ts'
import { errorPromises } from './errors.ts'
import { eventPromises } from './events.ts'
import { getPetPromises, interfaceGet } from './get-pet.ts'
import { interfaceCreate, interfaceRefusals } from './interface-create.ts'
import { interfaceKeys } from './interface-keys.ts'
import { interfaceList } from './interface-list.ts'
import { inventoryPromises } from './inventory.ts'
import { keyPromises } from './keys.ts'
import { listPetPromises } from './list-pets.ts'
import { pathPromises, storeKeyPromises } from './methods.ts'
import { orderRepeats, placePromises } from './place-order.ts'
import { readEvents } from './read-events.ts'
import { readOrderPromises } from './read-orders.ts'
import { reservationPromises } from './reservations.ts'
import { searchPromises } from './search.ts'
import type { PromiseRow } from './shared/promise.ts'
import { updateOrderPromises } from './update-order.ts'

export const PROMISES: readonly PromiseRow[] = [
  interfaceKeys,
  interfaceList,
  interfaceGet,
  interfaceCreate,
  interfaceRefusals,
  listPetPromises,
  getPetPromises,
  createPetPromises,
  keyPromises,
  errorPromises,
  pathPromises,
  searchPromises,
  placePromises,
  orderRepeats,
  reservationPromises,
  readOrderPromises,
  changePromises,
  updatePetPromises,
  deletePetPromises,
  updateOrderPromises,
  inventoryPromises,
  eventPromises,
  readEvents,
  storeKeyPromises,
].flat()
