// A service behind the proxy of practice, for tests and pictures.

import { faultThatBreaks } from '../../packages/practice/src/contract-faults/all.ts'
import { type Behaviour, listenBefore } from '../../packages/practice/src/proxy.ts'
import { atEndOfFile } from './files.ts'

export interface RunningProxy {
  /** The base URL, with the path of the service's. */
  url: string
  stop(): Promise<void>
}

/** `service` is a base URL with plain HTTP. The proxy stops at the end of the test file. */
export async function startProxy(service: string, behave: Behaviour = (request, pass) => pass(request)) {
  const { pathname } = new URL(service)
  const { port, stop } = await listenBefore(() => service, behave, { host: '127.0.0.1', port: 0 })
  atEndOfFile(stop)
  return { url: `http://127.0.0.1:${port}${pathname}`, stop }
}

/** Breaks exactly one promise of the service. Throws an Error if no fault breaks it. */
export function startFaulty(service: string, breaks: string): Promise<RunningProxy> {
  return startProxy(service, faultThatBreaks(breaks))
}
