// Every promise of the service, in the order in which they are reported.

import { changePromises } from './catalogue/change-orders.ts'
import { createPetPromises } from './catalogue/create-pet.ts'
import { deletePetPromises } from './catalogue/delete-pet.ts'
import { errorPromises } from './catalogue/errors.ts'
import { eventCursors, eventRefusals } from './catalogue/event-cursors.ts'
import { eventPromises } from './catalogue/events.ts'
import { getPetPromises } from './catalogue/get-pet.ts'
import { interfaceCreate } from './catalogue/interface-create.ts'
import { interfaceGet } from './catalogue/interface-get.ts'
import { interfaceKeys } from './catalogue/interface-keys.ts'
import { interfaceList } from './catalogue/interface-list.ts'
import { interfaceRefusals, interfaceWriteKeys } from './catalogue/interface-refusals.ts'
import { inventoryPromises } from './catalogue/inventory.ts'
import { checkOrder, keyPromises } from './catalogue/keys.ts'
import { listPetPromises, petConditions } from './catalogue/list-pets.ts'
import { pathPromises } from './catalogue/methods.ts'
import { orderRepeats } from './catalogue/order-repeats.ts'
import { placeBodies, placePromises, placeRefusals } from './catalogue/place-order.ts'
import { getOrderPromises, listOrderPromises } from './catalogue/read-orders.ts'
import { expiresAtPromises, expiryPromises } from './catalogue/reservations.ts'
import { searchPromises } from './catalogue/search.ts'
import { storeKeyPromises, storeMethods } from './catalogue/store-keys.ts'
import { updateOrderPromises } from './catalogue/update-order.ts'
import { updatePetPromises } from './catalogue/update-pet.ts'
import type { PromiseRow } from './promise.ts'

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
  eventCursors,
  eventRefusals,
  storeKeyPromises,
  storeMethods,
].flat()
