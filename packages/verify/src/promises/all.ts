// Every promise, in the order of the reports.

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
import { interfaceRefusals, interfaceWriteKeys } from './interface-refusals.ts'
import { inventoryPromises } from './inventory.ts'
import { checkOrder, keyPromises } from './keys.ts'
import { listPetPromises, petConditions } from './list-pets.ts'
import { pathPromises } from './methods.ts'
import { orderRepeats } from './order-repeats.ts'
import { placeBodies, placePromises, placeRefusals } from './place-order.ts'
import { eventRefusals, readEvents } from './read-events.ts'
import { getOrderPromises, listOrderPromises } from './read-orders.ts'
import { expiresAtPromises, expiryPromises } from './reservations.ts'
import { searchPromises } from './search.ts'
import type { PromiseRow } from './shared/promise.ts'
import { storeKeyPromises, storeMethods } from './store-keys.ts'
import { updateOrderPromises } from './update-order.ts'
import { updatePetPromises } from './update-pet.ts'

export const PROMISES: readonly PromiseRow[] = [
  interfaceKeys,
  interfaceList,
  interfaceGet,
  interfaceCreate,
  interfaceRefusals,
  interfaceWriteKeys,
  listPetPromises,
  getPetPromises,
  petConditions,
  createPetPromises,
  keyPromises,
  checkOrder,
  errorPromises,
  pathPromises,
  searchPromises,
  placePromises,
  expiresAtPromises,
  placeRefusals,
  placeBodies,
  orderRepeats,
  expiryPromises,
  listOrderPromises,
  getOrderPromises,
  changePromises,
  updatePetPromises,
  deletePetPromises,
  updateOrderPromises,
  inventoryPromises,
  eventPromises,
  readEvents,
  eventRefusals,
  storeKeyPromises,
  storeMethods,
].flat()
