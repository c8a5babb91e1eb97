// An address to listen on, or a sentence that says why it cannot be had.

import { StartError } from '../domain/errors.ts'

export interface Address {
  host: string
  /** 0 takes a free one. */
  port: number
  /** What names another port, for the sentence. */
  flag: string
  /** Lets other processes listen on the same port. */
  sharePort?: boolean
}

export type Serving = Pick<Bun.Serve.Options<undefined>, 'routes' | 'fetch' | 'maxRequestBodySize'>

/** Throws StartError. */
export function listen({ host, port, flag, sharePort = false }: Address, serving: Serving): Bun.Server<undefined> {
  try {
    return Bun.serve({ hostname: host, port, reusePort: sharePort, ...serving } as Bun.Serve.Options<undefined>)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new StartError(`Port ${port} on ${host} is in use. Free it, or choose another with ${flag}.`, { cause })
    }
    throw new StartError(`Cannot listen on ${authority(host, port)} (${code}). Choose another host or port.`, {
      cause,
    })
  }
}

/** Throws StartError unless nobody else listens on the address. */
export async function checkFree({ host, port }: Pick<Address, 'host' | 'port'>): Promise<void> {
  await listen({ host, port, flag: '--port' }, { fetch: () => new Response(null, { status: 503 }) }).stop(true)
}

/** Where a client on this machine reaches the host: an address that stands for all of them is none to connect to. */
export function authority(host: string, port: number): string {
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host
  return name.includes(':') ? `[${name}]:${port}` : `${name}:${port}`
}
