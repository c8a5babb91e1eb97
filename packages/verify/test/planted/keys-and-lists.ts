// Planted faults: similar keys and uneven limits.

import * as changes from '../../../practice/src/contract-faults/shared/changes.ts'
import type { ContractFault, ContractFaults } from '../../../practice/src/contract-faults/shared/faults.ts'
import { EVENTS, LIST, ONE, ORDERS } from '../../../practice/src/contract-faults/shared/operations.ts'
import { hasKey, isOf, parametersOf, withKey } from '../../../practice/src/contract-faults/shared/requests.ts'
import { headerOf } from '../../src/headers.ts'

/** Accepts keys that resemble the first working key. */
export function takingKeys(operations: string, resembles: (sent: string, right: string) => boolean): ContractFault {
  return () => {
    let right: string | undefined
    return async (request, pass) => {
      const sent = headerOf(request.headers, 'Authorization') ?? ''
      const response = await pass(request)
      if (response.status === 200) right ??= sent
      const isWrong = response.status === 401 && isOf(request, operations) && hasKey(request) && sent !== right
      return isWrong && right !== undefined && resembles(sent, right) ? pass(withKey(request, right)) : response
    }
  }
}

const isCheckedLoosely = (sent: string, right: string) =>
  sent.length === right.length && sent.slice(0, -1) === right.slice(0, -1)

const KEYS: ContractFaults = {
  'a key without its last character': takingKeys('*', (sent, right) => sent === right.slice(0, -1)),
  'a key whose last character is wrong': takingKeys('*', isCheckedLoosely),
  'any key of the right form': takingKeys('*', (sent) => /^Bearer pets_(?:live|test)_\w{28}$/.test(sent)),
  'nothing after Bearer': takingKeys('*', (sent) => /^Bearer\s*$/.test(sent)),
  'a key whose last character is wrong, for one pet': takingKeys(ONE, isCheckedLoosely),
}

/** Changes a limit. */
export const limiting = (operation: string, change: (limit: number) => number): ContractFault => ({
  on: operation,
  send: (request) => {
    const limit = parametersOf(request).getAll('limit').join()
    if (!/^[1-9]\d?$/.test(limit)) return request
    return changes.query((given) => given.set('limit', String(change(Number(limit)))))(request)
  },
})
const unlessRound = (limit: number) => ([1, 2, 3, 4, 5, 10, 20, 100].includes(limit) ? limit : limit + 1)

const LIMITS: ContractFaults = {
  'limit=7 gives 8': limiting(LIST, unlessRound),
  'limit=7 gives 8 orders': limiting(ORDERS, unlessRound),
  'limit=7 gives 8 events': limiting(EVENTS, unlessRound),
}

export const LISTS_PLANTED: ContractFaults = { ...KEYS, ...LIMITS }
