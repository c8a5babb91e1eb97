// Every promise, in the order of the reports.

import { answerPromises } from './answers.ts'
import { changePromises } from './change-orders.ts'
import { createPetPromises } from './create-pet.ts'
import { deletePetPromises } from './delete-pet.ts'
import { errorPromises } from './errors.ts'
import { eventPromises } from './events.ts'
import { getPetPromises } from './get-pet.ts'
import { interfaceCreate } from './interface-create.ts'
import { interfaceGet } from './interface-get.ts'
import { interfaceKeys } from './interface-keys.ts'
import { interfaceList } from './interface-list.ts'
import { interfaceRefusals } from './interface-refusals.ts'
import { inventoryPromises } from './inventory.ts'
import { keyPromises } from './keys.ts'
import { listPetPromises } from './list-pets.ts'
import { pathPromises } from './methods.ts'
import { orderRepeats } from './order-repeats.ts'
import { placePromises } from './place-order.ts'
import { readEvents } from './read-events.ts'
import { readOrderPromises } from './read-orders.ts'
import { reservationPromises } from './reservations.ts'
import { searchPromises } from './search.ts'
import type { PromiseRow } from './shared/promise.ts'
import { storeKeyPromises } from './store-keys.ts'
import { updateOrderPromises } from './update-order.ts'
import { updatePetPromises } from './update-pet.ts'

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
  answerPromises,
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
