// `serve --ephemeral --practice`: a proxy takes the service's address and misbehaves on command.

import { basePath } from '../../contract/src/contract.ts'
import { answerTo, type CreateKey } from '../../practice/src/commands.ts'
import { Practice } from '../../practice/src/practice.ts'
import { listenBefore } from '../../practice/src/proxy.ts'
import type { Config } from '../../service/src/config/read-config.ts'
import { generateKey, type KeyStore, keptOfKey } from '../../service/src/domain/keys.ts'
import { checkFree } from '../../service/src/http/listen.ts'
import { authority } from '../../service/src/observability/client-address.ts'

/** Listens on the configured address. Throws StartError if it cannot. */
export async function startPractice(config: Config) {
  const { host, port, environment, baseUrl, stagingBaseUrl } = config
  await checkFree({ host, port, flag: '--port' })
  const practice = new Practice()
  let address = ''
  let keys: KeyStore | undefined
  const createKey: CreateKey = async (key) => {
    const text = generateKey(environment)
    await keys?.createKey({ name: 'practice', ...keptOfKey(text), ...key })
    return text
  }
  const proxy = await listenBefore(() => address, practice.behave, { host, port })
  const url = `http://${authority(host, proxy.port)}${basePath}`
  const bases = { production: baseUrl, staging: stagingBaseUrl }
  return {
    /** The base address for clients, ending in /v1. */
    url,
    clock: practice.clock,
    /** The options with which the service has to start. The served contract contains the proxy's address. */
    behind: { host: '127.0.0.1', port: 0, baseUrls: { ...bases, [environment]: bases[environment] ?? url } },
    /** Sets the service's address and keys. Until then, connections are closed. */
    leadTo(service: string, store: KeyStore): void {
      address = service
      keys = store
    },
    /** Runs a command and resolves with its result, both as a line. */
    answer: (line: string) => answerTo(line, practice, createKey),
    reset: () => practice.reset(),
    stop: proxy.stop,
  }
}
