// The Idempotency-Key of a record that is imported: of the import's name, the record's line and its content. So the same import again, also
// after records were corrected in place, adds only what is missing.

import { stringifyJson } from '../../../../contract/src/json.ts'
import type { SourceRecord } from './format.ts'

/** Errors that concern one record only. */
export const RECORD_ERRORS = ['invalid_pet', 'malformed_json', 'body_too_large', 'idempotency_mismatch']

/** The keys of one import have a common prefix and rise with its lines, which keeps the service's index of them compact. */
export function recordKey(
  name: string,
  { line, nth, pet }: Pick<SourceRecord, 'line' | 'nth' | 'pet'>,
  digest: (text: string) => string,
): string {
  const place = [line, ...(nth ? [nth] : [])].map((number) => String(number).padStart(10, '0'))
  return `import-${digest(name)}-${place.join('.')}-${digest(stringifyJson(pet))}`
}
