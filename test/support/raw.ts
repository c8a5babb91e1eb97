// Sends HTTP as bytes, for requests that no client library sends.

/** Sends `parts` (a number is a pause in ms), and resolves with the answer at the close or after `waitMs`. */
export async function raw(port: number, parts: (string | number)[], waitMs = 300): Promise<string> {
  let received = ''
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_socket, bytes) => {
        received += bytes.toString('latin1')
      },
      close: () => resolve(),
      error: () => resolve(),
    },
  })
  for (const part of parts) {
    if (typeof part === 'number') await Bun.sleep(part)
    else socket.write(part)
  }
  await Promise.race([closed, Bun.sleep(waitMs)])
  socket.end()
  return received
}
