// Rolling restarts under load: a new process listens on the port, then the old one gets SIGTERM. No request may fail, and no
// acknowledged pet may be lost.
//
//   npm run endurance -- restart --rounds 50 --report
//
// Half of the clients keep their connections, half open a new one for each request. None of them retries.

import { mkdtempSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { temporaryFile } from '../test/support/files.ts'
import { ask, type Running, serve } from '../test/support/process.ts'
import { experiment, faultsLine, print } from './command.ts'
import { listedPets } from './pages.ts'

const KEEPING = 8
const OPENING = 8
const LOAD_MS = 300

export interface Tally {
  rounds: number
  /** Requests with the expected status, 200 or 201. */
  answered: number
  acknowledged: number
  faults: string[]
}

export async function restart(rounds: number, report: (tally: Tally) => void = () => {}): Promise<Tally> {
  const tally: Tally = { rounds: 0, answered: 0, acknowledged: 0, faults: [] }
  const cwd = mkdtempSync(temporaryFile('restart-'))
  const env = { PETSTORE_SHARE_PORT: 'yes', PETSTORE_LOG_LEVEL: 'warn' }
  let server = await serve([], { cwd, env })
  const { key, url } = server
  const { port } = new URL(url)
  const journal = new Map<string, string>()
  let stopping = false

  async function client(n: number, send: Send): Promise<void> {
    for (let sent = 0; !stopping; sent++) {
      const name = `pet ${n} ${sent}`
      const creating = sent % 3 === 0
      const [method, body] = creating ? ['POST', JSON.stringify({ name, categoryId: 1 })] : ['GET', '']
      try {
        const { status, text } = await send(method as string, body as string)
        if (status === (creating ? 201 : 200)) tally.answered++
        else tally.faults.push(`round ${tally.rounds + 1}: ${method} answered ${status}`)
        if (status === 201) journal.set(name, text)
      } catch (error) {
        tally.faults.push(`round ${tally.rounds + 1}: ${method} ${name}: ${(error as Error).message}`)
      }
      await Bun.sleep(2)
    }
  }

  const opening: Send = (method, body) => exchange(Number(port), key, method, body)
  const keeping: Send = (method, body) => ask(method, `${url}/pets`, key, body || undefined)
  const clients = Array.from({ length: KEEPING + OPENING }, (_, n) => client(n, n < KEEPING ? keeping : opening))
  for (; tally.rounds < rounds; tally.rounds++) {
    const next = await serve(['--port', port], { cwd, env })
    await Bun.sleep(LOAD_MS * Math.random())
    const status = await server.stop('SIGTERM')
    if (status !== 0) tally.faults.push(`round ${tally.rounds + 1}: the old process ended with ${status}`)
    server = next
    report(tally)
  }
  stopping = true
  await Promise.all(clients)
  tally.acknowledged = journal.size
  await checkJournal(server, key, journal, tally.faults)
  await server.stop()
  return tally
}

type Send = (method: string, body: string) => Promise<{ status: number; text: string }>

/** The journal holds the answer to each create by the name of its pet: each must be listed exactly once. */
async function checkJournal({ url }: Running, key: string, journal: Map<string, string>, faults: string[]) {
  const missing = new Map(journal)
  for await (const { name, json } of listedPets(url, key)) {
    if (journal.get(name) === json && !missing.delete(name)) faults.push(`${name} exists twice`)
  }
  for (const name of missing.keys()) faults.push(`${name} was acknowledged and is lost`)
}

/** One request on a new connection. */
function exchange(port: number, key: string, method: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    const length = body ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : ''
    socket.write(
      `${method} /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n${length}\r\n${body}`,
    )
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      received += text
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', text = ''] = received.split('\r\n\r\n')
      if (head === '') reject(new Error('closed without an answer'))
      else resolve({ status: Number(head.slice(9, 12)), text })
    })
  })
}

/** Whether the kernel moves waiting connections from a socket that closes to another one on the port. */
function kernelMigrates(): boolean {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1'
  } catch {
    return false
  }
}

async function run({ rounds }: { rounds: number }) {
  const { answered, acknowledged, faults } = await restart(rounds, ({ rounds, faults }) => {
    if (rounds % 10 === 9) print(`${rounds + 1} restarts, ${faults.length} faults`)
  })
  const text = `${rounds} rolling restarts (\`PETSTORE_SHARE_PORT=yes\`, SIGTERM to the old process once the new one listens) under ${KEEPING} clients that
keep their connections and ${OPENING} that open a new one for each request; \`net.ipv4.tcp_migrate_req\` was ${kernelMigrates() ? 1 : 0}.

- ${answered} requests got the expected answer, ${acknowledged} of them creates; each of these pets existed exactly once at the end.
- An old process that ends with another status than 0 is a fault.
${faultsLine(faults)}`
  return { text, passed: faults.length === 0 }
}

export const main = experiment({
  name: 'restart',
  title: 'Restarted under load',
  description: 'Replaces the server under load, again and again, and checks that no request fails.',
  options: { rounds: ['how often the server is replaced', 50] },
  run,
})
