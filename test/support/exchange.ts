// Sends bytes to a socket and counts the responses.

import { connect } from 'node:net'
import { machineLoad } from './load.ts'

export interface Exchanged {
  /** The status of the first response; 0 if the connection closed without one. */
  status: number
  body: string
  /** The number of responses. */
  answers: number
  closed: boolean
  text: string
  /** The number of pieces that the text arrived in. */
  pieces: number
  /** The code of the socket's error, such as ECONNRESET. */
  error: string | undefined
}

const HANG_MS = 15_000 * machineLoad()

/**
 * Resolves when the connection is closed, or `restMs` after the first complete response. Rejects after HANG_MS. `late`:
 * more bytes, sent later.
 */
export function exchange(
  port: number,
  bytes: string,
  restMs = 5,
  late?: { bytes: string; afterMs: number },
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let [text, pieces, closed] = ['', 0, false]
    let error: string | undefined
    const hang = setTimeout(() => {
      socket.destroy()
      reject(new Error(`No answer within ${HANG_MS} ms`))
    }, HANG_MS)
    const end = (): void => {
      clearTimeout(hang)
      socket.destroy()
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const answers = text.match(/HTTP\/1\.1 [2-5]\d\d/g)?.length ?? 0
      resolve({ status: Number(head.slice(9, 12)), body, answers, closed, text, pieces, error })
    }
    socket.setEncoding('latin1')
    socket.on('data', (more) => {
      text += more
      pieces++
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (body !== undefined && body.length >= length) setTimeout(end, restMs)
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      error = code
    })
    socket.on('close', () => {
      closed = true
      end()
    })
    socket.write(bytes, 'latin1')
    if (late) setTimeout(() => socket.write(late.bytes, 'latin1'), late.afterMs)
  })
}
