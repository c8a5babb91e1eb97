// Sends one request over a new connection and reads the response as bytes. An HTTP library would normalize paths,
// merge headers, follow redirects and drop a body after a 304, so checks could not see them.

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { systemReason } from '../../contract/src/system-reason.ts'
import { isBodiless, MessageReader, statusOf, Unreadable } from './messages.ts'

export interface Sent {
  method: string
  /** The path and the query, sent unchanged. */
  target: string
  headers: readonly (readonly [string, string])[]
  body: Uint8Array | undefined
}

export interface Received {
  status: number
  /** In the order received, with lowercase names. */
  headers: readonly (readonly [string, string])[]
  body: Uint8Array
}

/** No complete response arrived. The message continues "The server …", such as "did not respond within 10 seconds". */
export class NoAnswer extends Error {}

/** The response cannot be examined: it is not HTTP, or too long. The message continues "The server …". */
export class NotExaminable extends Error {}

/** How long to wait for bytes after a response that must not have a body. */
const AFTER_MS = 150

/**
 * Sends `before` first, if given, and drops its response. `request` follows on the same connection, or on a new one if
 * the server closed it. Rejects with NoAnswer or NotExaminable.
 */
export async function exchange(origin: URL, request: Sent, timeoutMs: number, before?: Sent): Promise<Received> {
  const socket = open(origin)
  let failure = 'closed the connection without a complete response'
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    failure = `did not answer within ${timeoutMs / 1000} second${timeoutMs === 1000 ? '' : 's'}`
    socket.destroy()
  }, timeoutMs)
  let received = 0
  // Unlike the iterator of a socket, this has all bytes that arrived before an error.
  const chunks = new ReadableStream<Buffer>({
    start(controller) {
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length
        controller.enqueue(chunk)
      })
      socket.on('error', (error: NodeJS.ErrnoException) => {
        failure = `could not be reached (${systemReason(error)})`
      })
      socket.on('close', () => controller.close())
    },
  })
  const reader = new MessageReader(chunks)
  const ask = async (sent: Sent, connection: string): Promise<Received | undefined> => {
    socket.write(bytesOf(origin, sent, connection))
    const message = await reader.response((status) => isBodiless(sent.method, status))
    if (!message) return undefined
    const status = statusOf(message)
    const headers = message.headers.map(([name, value]) => [name.toLowerCase(), value] as const)
    const isOver = connection === 'close' && isBodiless(sent.method, status)
    return { status, headers, body: isOver ? await reader.following(AFTER_MS) : message.body }
  }
  try {
    const first = before && (await ask(before, 'keep-alive'))
    const begun = received
    const answer = before && !first ? undefined : await ask(request, 'close')
    if (answer) return answer
    // The server closed the connection after its first response, or instead of it.
    if (before && !isLate && received === begun) return await exchange(origin, request, timeoutMs)
    throw new NoAnswer(failure)
  } catch (error) {
    throw error instanceof Unreadable ? new NotExaminable(error.message) : error
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

function open({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:') return connect(Number(port || 80), host)
  return connectTls({ host, port: Number(port || 443), ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
}

function bytesOf({ host }: URL, { method, target, headers, body }: Sent, connection = 'close'): Uint8Array {
  const chunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding')
  const carries = body !== undefined || !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method)
  const length = carries && !chunked ? [['Content-Length', String(body?.length ?? 0)] as const] : []
  const lines = [['Host', host] as const, ...headers, ...length, ['Connection', connection] as const]
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const parts = body ? (chunked ? inChunks(body) : [body]) : []
  return Buffer.concat([Buffer.from(head, 'latin1'), ...parts])
}

/** `body` has at least two bytes. */
function inChunks(body: Uint8Array): Uint8Array[] {
  const middle = body.length >> 1
  return [body.subarray(0, middle), body.subarray(middle), body.subarray(0, 0)].map((chunk) =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
  )
}
