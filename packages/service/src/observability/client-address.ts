// The address of a client, which a trusted proxy passes on in X-Forwarded-For, and of a server on this machine.

import { BlockList, isIP } from 'node:net'

/** Call this before the response is sent; afterwards the runtime no longer knows the address. */
export type ClientAddress = (request: Request) => string | undefined

/**
 * Returns a function for the addresses and networks of `proxies`, such as `10.0.0.0/8`. Each proxy appends the address
 * that it got the request from, so the client is the last address that is not a proxy. Earlier ones can be forged.
 */
export function clientAddress(
  proxies: readonly string[],
  peerOf: (request: Request) => { readonly address: string } | null,
): ClientAddress {
  const trusted = networks(proxies)
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return (request) => {
    const peer = peerOf(request)?.address
    if (peer === undefined) return undefined
    let address = unmapped(peer)
    if (proxies.length === 0 || !isTrusted(address)) return address
    for (const text of (request.headers.get('X-Forwarded-For') ?? '').split(',').reverse()) {
      const before = unmapped(text.trim())
      if (isIP(before) === 0) break
      address = before
      if (!isTrusted(address)) break
    }
    return address
  }
}

/** Throws Error if one is neither an address nor a network. */
export function networks(all: readonly string[]): BlockList {
  const list = new BlockList()
  for (const one of all) {
    const [address = '', bits, ...more] = one.split('/')
    const version = isIP(address)
    if (version === 0 || more.length > 0 || !/^\d{0,3}$/.test(bits ?? '')) throw new Error(one)
    const family = version === 4 ? 'ipv4' : 'ipv6'
    // Throws if there are too many bits.
    if (bits) list.addSubnet(address, Number(bits), family)
    else if (bits === undefined) list.addAddress(address, family)
    else throw new Error(one)
  }
  return list
}

/** Returns an address without its port, and an IPv4 address that a socket for IPv6 shows as `::ffff:10.0.0.1`. */
function unmapped(text: string): string {
  const [, bracketed, v4] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  const address = bracketed ?? v4 ?? text
  return /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address
}

/**
 * Returns `host:port` for a client on this machine. It returns the loopback address for a wildcard address, because
 * `localhost` may resolve to the other protocol.
 */
export function authority(host: string, port: number): string {
  return joined({ '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host, port)
}

export function joined(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
