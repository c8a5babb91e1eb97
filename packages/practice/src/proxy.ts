// A proxy in front of a service. It forwards requests and responses unchanged, byte for byte, except for the changes
// of a behaviour. Bytes that are not a plain request reach the service unchanged.

import { STATUS_CODES } from 'node:http'
import { createServer, connect as dial, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type Header, headerOf, withHeader } from '../../verify/src/headers.ts'
import { isBodiless, type Message, MessageReader, statusOf, toBytes, Unreadable } from '../../verify/src/messages.ts'

export interface ClientRequest {
  method: string
  target: string
  headers: readonly Header[]
  body: Buffer
}

export interface ServiceResponse {
  status: number
  headers: readonly Header[]
  body: Buffer
  /** Sends the bytes to the client in another way than in one write. */
  send?: (client: Socket, bytes: Buffer) => Promise<void>
}

/** Sends a request to the service. */
export type Pass = (request: ClientRequest) => Promise<ServiceResponse>

/** Responds to a request, usually with the result of `pass`. `client` is its connection. */
export type Behaviour = (request: ClientRequest, pass: Pass, client: Socket) => Promise<ServiceResponse>

/**
 * `service` returns the base URL of a service on plain HTTP. It is called per connection, so the service can start
 * later.
 */
export async function listenBefore(service: () => string, behave: Behaviour, at: { host: string; port: number }) {
  const open = new Set<Socket>()
  const kept = (socket: Socket): Socket => {
    open.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
  }
  // A client that half-closes its connection after a request still gets the response.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = new Connection(() => {
      const { hostname, port } = new URL(service())
      return kept(dial(Number(port), hostname))
    })
    serve(kept(client), behave, connection)
      .catch(() => undefined)
      .finally(() => {
        connection.close()
        client.destroy()
      })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at.port, at.host, resolve))
  return {
    port: (server.address() as { port: number }).port,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

/** Resolves when the client or a response closes the connection. */
async function serve(client: Socket, behave: Behaviour, connection: Connection): Promise<void> {
  const reader = new MessageReader(client.iterator({ destroyOnReturn: false }))
  const read = () => reader.request(() => client.write('HTTP/1.1 100 Continue\r\n\r\n'))
  try {
    for (let next = read(); ; ) {
      const message = await next
      if (!message) return
      // Keep reading, to notice a client that closes the connection before it has its response.
      next = read()
      next.catch(() => undefined)
      const [method = '', target = '', version = ''] = message.start.split(' ')
      const { headers, body } = message
      const pass: Pass = (request) => connection.pass(request, version)
      const answer = await behave({ method, target, headers, body }, pass, client)
      const isLast = version === 'HTTP/1.0' || closes(headers) || closes(answer.headers)
      await (answer.send ?? write)(client, toBytes(answerMessage(method, answer)))
      if (isLast) return
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const service = connection.open()
    pipeline(reader.rest(), service).catch(() => service.destroy())
    await pipeline(service, client)
  }
}

export function write(client: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => client.write(bytes, () => resolve()))
}

/** A connection to the service, which is dialled again if the service closed it. */
class Connection {
  private socket: Socket | undefined
  private responses: MessageReader | undefined

  constructor(private readonly dial: () => Socket) {}

  open(): Socket {
    this.close()
    this.socket = this.dial()
    return this.socket
  }

  async pass({ method, target, headers, body }: ClientRequest, version = 'HTTP/1.1'): Promise<ServiceResponse> {
    if (!this.socket || this.socket.destroyed) this.responses = new MessageReader(this.open())
    this.socket?.write(
      toBytes({ start: `${method} ${target} ${version}`, headers: framed(headers, body, false), body }),
    )
    const answer = await this.responses?.response((status) => isBodiless(method, status))
    if (!answer) throw new Error('the service closed the connection')
    if (version === 'HTTP/1.0' || closes(headers) || closes(answer.headers)) this.close()
    return { status: statusOf(answer), headers: answer.headers, body: answer.body }
  }

  close(): void {
    this.socket?.destroy()
    this.socket = undefined
  }
}

function answerMessage(method: string, { status, headers, body }: ServiceResponse): Message {
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`
  // Content-Length of a HEAD is the length of the body of GET, so keep it.
  if (isBodiless(method, status)) return { start, headers, body: method === 'HEAD' ? Buffer.alloc(0) : body }
  return { start, headers: framed(headers, body, true), body }
}

/** Sets Content-Length, because the body may have been chunked or changed. */
function framed(headers: readonly Header[], body: Buffer, always: boolean): readonly Header[] {
  const had = headerOf(headers, 'Content-Length')
  if (had === undefined && body.length === 0 && (!always || closes(headers))) return headers
  if (had === String(body.length)) return headers
  return withHeader(withHeader(headers, 'Transfer-Encoding', undefined), 'Content-Length', String(body.length))
}

function closes(headers: readonly Header[]): boolean {
  return /close/i.test(headerOf(headers, 'Connection') ?? '')
}
