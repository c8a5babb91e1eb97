// Faults in errors: their headers, codes and messages.

import { at, type ContractFaults, header, jsonAnswer, put, rewrite } from './shared/builders.ts'
import { refusingOnce } from './shared/memory.ts'
import { CREATE, firstSentence, isError, LIST, missed, refused } from './shared/operations.ts'

export const ERROR_FAULTS: ContractFaults = {
  'errors.members': at('*', 'any', isError).onResponse(put('details', [])),
  'errors.headers': at('*', 'any', isError).onResponse(header('X-Request-Id', undefined)),
  'errors.codes': at(CREATE, 401).onResponse(put('code', 'no_key')),
  'errors.not-found.code': missed(put('code', 'pet_not_found')),
  'errors.unknown-path': at('*', 404, ({ target }) => !/[/](?:pets|store)(?![\w-])|p%65ts/i.test(target)).onResponse(
    () => jsonAnswer(200, []),
  ),
  'errors.message.parameters': at(LIST, 400).onResponse(rewrite('message', firstSentence)),
  'errors.message.fields': refused(rewrite('message', firstSentence)),
  'errors.retry-after': refusingOnce,
  'errors.rate-limit': at(LIST).onResponse(header('RateLimit', '100')),
  'errors.unknown-path.store': at('GET /store/*', 404).onResponse(() => jsonAnswer(200, [])),
}
