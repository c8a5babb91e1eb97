// `petstore events forward`, a web hook for the event feed, and `petstore events secret`, which creates its signing
// secret.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { PetstoreApiError } from '../../../client/src/petstore.ts'
import { Sender } from '../../../client/src/sender.ts'
import { FlagError } from '../../../service/src/config/read-config.ts'
import { httpUrl } from '../../../service/src/config/setting-parsers.ts'
import { orStartError, StartError } from '../../../service/src/domain/start-error.ts'
import { startAdmin } from '../../../service/src/http/listen.ts'
import { createLog } from '../../../service/src/observability/log.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'
import { randomBytes, startInterval, startTimer, stopTimer } from '../../../service/src/system/runtime.ts'
import { clientOptions } from '../client.ts'
import { Forwarder, Progress } from '../forward/forwarder.ts'
import { SavedCursor } from '../forward/saved-cursor.ts'
import { messageOf } from '../terminal/exit-codes.ts'
import { configOf, withClientSettings, withFrom } from '../terminal/options.ts'
import { printOrFail } from '../terminal/print.ts'
import { firstSignal } from '../terminal/stop.ts'

interface ForwardOptions {
  to: URL
  secretFile: string
  state: string
  from?: string
  insecure: boolean
}

/** Secrets have the format of Standard Webhooks 1.0.0: `whsec_` and 24 to 64 bytes in base64. */
const PREFIX = 'whsec_'
const NEW_BYTES = 32
const [BYTES_MIN, BYTES_MAX] = [24, 64]

/** The time for an attempt to end after a signal. If this process misses a response, the event is sent again. */
const STOP_MS = 8_000
const REPORT_EVERY_MS = 10_000

export function forwardCommand(): Command {
  return withFrom(withClientSettings(new Command('forward')))
    .description('Post each event of a running service to a web hook, in order and at least once.')
    .requiredOption('--to <url>', 'the address of the web hook', parseUrl)
    .requiredOption('--secret-file <file>', 'the signing secrets, one per line; petstore events secret creates one')
    .requiredOption('--state <file>', 'the file for the position in the feed; if it is missing, --from sets the start')
    .option('--insecure', 'allow plain http to other machines', false)
    .addHelpText(
      'after',
      `
Runs until it is stopped, and sends each event again until the receiver answers
2xx. Ends if the receiver answers 410. Standard Webhooks 1.0.0 defines messages
and their signatures. PETSTORE_ADMIN_PORT opens a port with /metrics, which
report the lag.

Example:
  petstore events forward --to https://shop.example/hook \\
    --secret-file webhook-secret --state forwarded`,
    )
    .action(forward)
}

export function secretCommand(): Command {
  return new Command('secret')
    .description('Create a secret for petstore events forward and its receiver.')
    .addHelpText('after', '\nExample:\n  (umask 077 && petstore events secret > webhook-secret)')
    .action(() => printOrFail(`${newSecret()}\n`))
}

async function forward({ to, secretFile, state, from, insecure }: ForwardOptions, self: Command): Promise<void> {
  if (to.protocol === 'http:' && !insecure && !isHere(to.hostname)) {
    self.error('error: with plain http to another machine, others can read the events. Use https, or --insecure')
  }
  const { adminHost: host, adminPort: port } = configOf(self)
  const log = createLog('info')
  const progress = new Progress(log)
  const service = new Sender({
    ...clientOptions(self),
    onRetry(error) {
      progress.feedUnreadable()
      log.warn({ reason: messageOf(error) }, 'the feed cannot be read; trying again')
    },
  })
  const receiver = { url: to, secrets: readSecrets(secretFile) }
  const saved = SavedCursor.open(state)
  const admin = port === undefined ? undefined : startAdmin(host, port, progress)
  if (admin) log.info({ url: admin.url }, 'metrics')
  const reporting = startInterval(() => progress.report(), REPORT_EVERY_MS)
  const [stop, giveUp] = [new AbortController(), new AbortController()]
  void firstSignal(log).then((signal) => {
    log.info({ signal }, 'stopping')
    stop.abort()
    startTimer(() => giveUp.abort(), STOP_MS).unref()
  })
  try {
    await new Forwarder(receiver, saved, progress, log, stop.signal, giveUp.signal).run(service, from)
  } catch (error) {
    if (!(error instanceof PetstoreApiError) || error.code !== 'cursor_expired') throw error
    throw new StartError(
      `The cursor in ${state} has expired: the store was restored or copied, so forwarded events may no longer exist. ` +
        `Reset the receiver, remove ${state}, and start again.`,
      { cause: error },
    )
  } finally {
    stopTimer(reporting)
    progress.report()
    await admin?.stop()
    await log.flush()
  }
}

/** Throws FlagError, because commander would print the address, which may contain a password. */
function parseUrl(text: string): URL {
  const url = httpUrl(text)
  if (url) return url
  throw new FlagError('--to must be an address such as https://shop.example/hook, without a password.')
}

/** Returns whether a host is this machine (RFC 6761, 6.3; RFC 1122, 3.2.1.3). `URL` normalizes IPv4 addresses. */
function isHere(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)
}

function newSecret(): string {
  return PREFIX + randomBytes(NEW_BYTES).toBase64()
}

/** Reads one secret per line. Throws StartError without secrets in its message. */
function readSecrets(file: string): Uint8Array[] {
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
