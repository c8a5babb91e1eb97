// The secrets that sign messages, in the format of Standard Webhooks 1.0.0: whsec_ and 24 to 64 bytes in base64.

import { readFileSync } from 'node:fs'
import { orStartError, StartError } from '../../../service/src/domain/start-error.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'

const PREFIX = 'whsec_'
const NEW_BYTES = 32
const [BYTES_MIN, BYTES_MAX] = [24, 64]

export function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(NEW_BYTES))).toString('base64')
}

/** Reads one secret per line. Throws StartError without secrets in its message. */
export function readSecrets(file: string): Uint8Array[] {
  const refusal = (reason: string) => `The secrets in ${file} cannot be read (${reason}).`
  const text = orStartError(() => readFileSync(absolutePath(file), 'utf8'), refusal)
  const lines = text.split('\n').map((line) => line.trim())
  const secrets = lines.flatMap((line, index) => (line === '' ? [] : [secretOf(line, `${file}, line ${index + 1}`)]))
  if (secrets.length > 0) return secrets
  throw new StartError(`${file} has no secret. Create one with petstore events secret.`)
}

function secretOf(text: string, where: string): Uint8Array {
  const encoded = text.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  const isExact = text.startsWith(PREFIX) && bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  if (isExact && bytes.length >= BYTES_MIN && bytes.length <= BYTES_MAX) return bytes
  throw new StartError(`${where}: a secret must be ${PREFIX} and ${BYTES_MIN} to ${BYTES_MAX} bytes in base64.`)
}
