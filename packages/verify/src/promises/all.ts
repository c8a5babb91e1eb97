// Every promise, in the order of the reports.

import { changePromises } from './change-orders.ts'
import { petChangePromises } from './change-pets.ts'
import { createPetPromises } from './create-pet.ts'
import { errorPromises } from './errors.ts'
import { eventPromises } from './events.ts'
import { getPetPromises } from './get-pet.ts'
import { interfaceCreate } from './interface-create.ts'
import { interfaceKeys } from './interface-keys.ts'
import { interfaceList } from './interface-list.ts'
import { inventoryPromises } from './inventory.ts'
import { keyPromises } from './keys.ts'
import { listPetPromises } from './list-pets.ts'
import { methodPromises } from './methods.ts'
import { placePromises } from './place-order.ts'
import { readEvents } from './read-events.ts'
import { readOrderPromises } from './read-orders.ts'
import { reservationPromises } from './reservations.ts'
import { searchPromises } from './search.ts'
import { LEVELS, type PromiseRow } from './shared/promise.ts'
import { updateOrderPromises } from './update-order.ts'

const levelOf = ({ level }: PromiseRow) => LEVELS.indexOf(level)

export const PROMISES: readonly PromiseRow[] = [
  [interfaceKeys, interfaceList, getPetPromises, interfaceCreate, listPetPromises, createPetPromises, keyPromises],
  [errorPromises, methodPromises, searchPromises, placePromises, reservationPromises, readOrderPromises],
  [changePromises, petChangePromises, updateOrderPromises, inventoryPromises, eventPromises, readEvents],
]
  .flat(2)
  .sort((one, other) => levelOf(one) - levelOf(other))
