// A TCP proxy, like HAProxy in front of PostgreSQL, whose target can change.

import { createServer, connect as dial, type Server, type Socket } from 'node:net'

export class Forwarder {
  private readonly sockets = new Set<Socket>()
  private readonly server: Server

  private constructor(
    /** The port for new connections. */
    public target: number,
    toClient: (bytes: Buffer) => Buffer,
  ) {
    this.server = createServer((client) => {
      const upstream = dial(this.target, '127.0.0.1')
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(from)
        from.on('error', () => to.destroy())
        from.on('close', () => to.destroy())
      }
      client.on('data', (bytes) => upstream.write(bytes))
      upstream.on('data', (bytes: Buffer) => client.write(toClient(bytes)))
    })
  }

  /** `toClient` can change the bytes that the target sends. */
  static async start(target: number, toClient = (bytes: Buffer) => bytes): Promise<Forwarder> {
    const forwarder = new Forwarder(target, toClient)
    await new Promise<void>((resolve) => forwarder.server.listen(0, '127.0.0.1', resolve))
    return forwarder
  }

  get port(): number {
    return (this.server.address() as { port: number }).port
  }

  /** Closes all connections, but still accepts new ones. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy()
    this.sockets.clear()
  }

  /** Rejects new connections, but keeps open ones. */
  refuse(): void {
    this.server.close()
  }

  stop(): void {
    this.refuse()
    this.cut()
  }
}
