// A service behind the proxy of practice, for tests and pictures.

import { type Behaviour, listenBefore } from '../../packages/practice/src/proxy.ts'
import { atEndOfFile } from './files.ts'

/** `service` is a base URL with plain HTTP, whose path the proxy's has, too. The proxy stops at the end of the test file. */
export async function startProxy(service: string, behave: Behaviour = (request, pass) => pass(request)) {
  const { pathname } = new URL(service)
  const { port, stop } = await listenBefore(() => service, behave, { host: '127.0.0.1', port: 0 })
  atEndOfFile(stop)
  return { url: `http://127.0.0.1:${port}${pathname}`, stop }
}
