// Faults in the conditional requests (RFC 9110, 13), Cache-Control and HEAD of every read.

import { at, type ContractFaults, under } from './shared/faults.ts'
import { INVENTORY, LIST, ONE, ORDER, ORDERS } from './shared/operations.ts'
import { hasHeader } from './shared/requests.ts'

function ofRead(operation: string): ContractFaults {
  const { request, refusing } = at(operation)
  const { answer } = at(operation, 200)
  const head = operation.replace('GET', 'HEAD')
  return {
    etag: answer.header('ETag', () => `"${crypto.randomUUID()}"`),
    'cache-control': answer.header('Cache-Control', 'public, max-age=60'),
    head: at(head, 200).answer.header('ETag'),
    'if-none-match': request.header('If-None-Match'),
    'if-none-match.other': request.header('If-None-Match', () => '*'),
    'if-match': refusing(hasHeader('If-Match', /./), 412, 'precondition_failed'),
    'if-match.other': request.header('If-Match', () => '*'),
    'if-match.unchanged': at(operation, 304, hasHeader('If-Match', /\*/)).again.header('If-None-Match'),
    'not-modified.head': at(head).request.header('If-None-Match'),
    'not-modified': at(operation, 304).answer.text(() => '[]'),
  }
}

export const CONDITION_FAULTS: ContractFaults = {
  ...under('pets.list', ofRead(LIST)),
  ...under('pets.get', ofRead(ONE)),
  ...under('orders.list', ofRead(ORDERS)),
  ...under('orders.get', ofRead(ORDER)),
  ...under('inventory.get', ofRead(INVENTORY)),
}
