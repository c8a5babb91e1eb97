// A service behind a proxy of practice, right or wrong, for tests and pictures.

import { faultThatBreaks } from '../../packages/practice/src/contract-faults/all.ts'
import { type Behaviour, listenBefore } from '../../packages/practice/src/proxy.ts'
import { atEndOfFile } from './files.ts'

export interface RunningProxy {
  /** The base URL, ending as the service's. */
  url: string
  stop(): Promise<void>
}

/** `service` is the base URL of one on plain HTTP. It stops when the test file has ended. */
export async function startProxy(service: string, behave: Behaviour = (request, pass) => pass(request)) {
  const { pathname } = new URL(service)
  const { port, stop } = await listenBefore(() => service, behave, { host: '127.0.0.1', port: 0 })
  atEndOfFile(stop)
  return { url: `http://127.0.0.1:${port}${pathname}`, stop }
}

/** The service, wrong in exactly one way. Throws an Error where no fault breaks the promise. */
export function startFaulty(service: string, breaks: string): Promise<RunningProxy> {
  return startProxy(service, faultThatBreaks(breaks))
}
