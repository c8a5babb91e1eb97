// Faults in errors: their headers, codes and messages.

import { at, type ContractFaults, jsonAnswer, type WhenResponse } from './shared/faults.ts'
import { refusingOnce } from './shared/memory.ts'
import { CREATE, LIST, missed, refused } from './shared/operations.ts'

const isError: WhenResponse = (_, { status }) => status >= 400

export const ERROR_FAULTS: ContractFaults = {
  'errors.members': at('*', 'any', isError).answer.put('details', []),
  'errors.headers': at('*', 'any', isError).answer.header('X-Request-Id'),
  'errors.codes': at(CREATE, 401).answer.put('code', 'no_key'),
  'errors.not-found.code': missed.put('code', 'pet_not_found'),
  'errors.unknown-path': at('*', 404, ({ target }) => !/[/](?:pets|store)(?![\w-])|p%65ts/i.test(target)).onResponse(
    () => jsonAnswer(200, []),
  ),
  'errors.message.parameters': at(LIST, 400).answer.firstSentence(),
  'errors.message.fields': refused.firstSentence(),
  'errors.retry-after': refusingOnce,
  'errors.rate-limit': at(LIST).answer.header('RateLimit', '100'),
  'errors.unknown-path.store': at('GET /store/*', 404).onResponse(() => jsonAnswer(200, [])),
}
