// Listens on addresses, and explains failures. The operations listener serves metrics.

import { isIP } from 'node:net'
import { systemReason } from '../../../contract/src/system-reason.ts'
import { StartError } from '../domain/start-error.ts'
import { authority, joined } from '../observability/client-address.ts'
import type { Log } from '../observability/log.ts'
import { CONTENT_TYPE } from '../observability/prometheus.ts'
import { IDLE_SECONDS } from './limits.ts'
import { canBind, setSocketOption } from './listening-sockets.ts'
import { SECURITY_HEADERS } from './response/response.ts'

/**
 * The limit of unsent data that the kernel buffers per connection. Without it, each client that does not read takes 4
 * MB of kernel memory, up to all memory for connections. The rest stays in the process, which does not copy files.
 */
const UNSENT_BYTES_MAX = Buffer.from(new Int32Array([128 * 1024]).buffer)
const [IPPROTO_TCP, TCP_NOTSENT_LOWAT] = [6, 25]

export interface Address {
  host: string
  /** 0 chooses a free port. */
  port: number
  /** The flag or variable of the port, for the error message. */
  flag: string
  /** Allows other processes to listen on the same port. */
  sharePort?: boolean
  /** Given for the main port only, so that a rejected socket option is logged once. */
  log?: Log
}

type Serving = Pick<Bun.Serve.Options<undefined>, 'routes' | 'fetch' | 'maxRequestBodySize'>

/** Throws StartError. */
export function listen({ host, port, flag, sharePort = false, log }: Address, serving: Serving): Bun.Server<undefined> {
  try {
    const address = { hostname: host, port, reusePort: sharePort, idleTimeout: IDLE_SECONDS }
    const server = Bun.serve({ ...address, ...serving } as Bun.Serve.Options<undefined>)
    if (!setSocketOption(server.port as number, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES_MAX)) {
      log?.warn(
        { option: 'TCP_NOTSENT_LOWAT' },
        'socket option refused: clients that do not read take more memory of the system',
      )
    }
    return server
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // If a host name does not resolve, Bun's error has the code of an earlier system call.
    if (code === 'EADDRINUSE' && port !== 0) {
      throw new StartError(`Port ${port} on ${host} is in use. Free it, or choose another with ${flag}.`, { cause })
    }
    const isUnknown = isIP(host) === 0 && !['EACCES', 'EADDRNOTAVAIL'].includes(code ?? '')
    const reason = isUnknown ? 'no such host' : systemReason(cause)
    throw new StartError(`Cannot listen on ${joined(host, port)} (${reason}). Choose another host or port.`, { cause })
  }
}

/**
 * Serves metrics on a separate port, which must not be public. Port 0 chooses a free one. Throws StartError if it
 * cannot listen on the address.
 */
export function startAdmin(host: string, port: number, metrics: { text(): string | Promise<string> }) {
  const server = listen(
    { host, port, flag: 'PETSTORE_ADMIN_PORT' },
    {
      routes: {
        '/metrics': {
          GET: async () =>
            new Response(await metrics.text(), {
              headers: { ...SECURITY_HEADERS, 'Content-Type': CONTENT_TYPE, 'Cache-Control': 'no-store' },
            }),
        },
      },
      fetch: () => new Response('Only /metrics exists here.\n', { status: 404, headers: SECURITY_HEADERS }),
    },
  )
  return { url: `http://${authority(host, server.port as number)}/metrics`, stop: () => server.stop(true) }
}

/**
 * Throws StartError if the address cannot be listened on; with `sharePort`, other processes may share it. On Linux, it
 * accepts no connection, which would be lost when the check ends.
 */
export async function checkFree(address: Omit<Address, 'log'>): Promise<void> {
  if (await canBind(address.host, address.port, address.sharePort ?? false)) return
  // Throws the reason.
  await listen(address, { fetch: () => new Response(null, { status: 503 }) }).stop(true)
}
