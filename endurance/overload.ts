// Sends five times as many requests as the server can answer. The peak is measured on few connections, then the overload is
// sent on thousands. Successful answers must stay at 80 % of the peak, within a time limit; the rest must get 503.
//
//   npm run endurance -- overload --report

import { cursorAfter } from '../test/support/cursors.ts'
import { ask, type Running, serve } from '../test/support/process.ts'
import { experiment } from './command.ts'
import { type Figures, openLoop } from './open-loop.ts'

const PETS = 2_000
const PEAK_CONNECTIONS = 64
const GOODPUT_MIN = 0.8
const P99_MS_MAX = 5_000
const RECOVERY_MS_MAX = 30_000

export interface Measured {
  load: string
  peak: number
  /** Requests due in a second, whether or not a connection was free to send them. */
  offered: number
  goodput: number
  refused: number
  p99: number
  faults: string[]
}

export interface Plan {
  seconds: number
  connections: number
}

/** Measures each kind of load at its peak and at five times its peak. */
export async function overload({ seconds, connections }: Plan): Promise<Measured[]> {
  const server = await serve(['--ephemeral'], { env: { PETSTORE_LOG_LEVEL: 'error' } })
  const port = Number(new URL(server.url).port)
  for (let n = 0; n < PETS; n += 100) {
    await Promise.all(Array.from({ length: 100 }, () => ask('POST', `${server.url}/pets`, server.key, PET)))
  }
  const measured: Measured[] = []
  for (const [load, requests] of Object.entries(loads(server))) {
    const run = (perSecond: number, connectionsMax: number): Promise<Figures> =>
      openLoop({ port, requests, perSecond, seconds, connectionsMax })
    await run(1e5, PEAK_CONNECTIONS)
    const peak = goodputOf(await run(1e5, PEAK_CONNECTIONS))
    const figures = await run(5 * peak, connections)
    const faults = Object.keys(figures.statuses).filter((status) => !['200', '201', '503'].includes(status))
    if (figures.broken > 0) faults.push(`${figures.broken} broken connections`)
    measured.push({
      load,
      peak,
      offered: (figures.sent + figures.unsent) / figures.seconds,
      goodput: goodputOf(figures),
      refused: (figures.statuses[503] ?? 0) / figures.seconds,
      p99: figures.p99,
      faults,
    })
  }
  // What was sent and not read may still be ahead of this.
  const until = performance.now() + RECOVERY_MS_MAX
  while ((await ask('GET', `${server.url}/pets`, server.key)).status !== 200)
    if (performance.now() > until) throw new Error('the server does not recover')
  await server.stop()
  return measured
}

const PET = '{"name":"Rex","categoryId":7}'

function loads({ key }: Running): Record<string, string[]> {
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`
  return {
    'pages of 100, all different': Array.from({ length: PETS - 100 }, (_, n) => {
      return `GET /v1/pets?limit=100&cursor=${cursorAfter(BigInt(n))} HTTP/1.1\r\n${head}\r\n`
    }),
    creates: [`POST /v1/pets HTTP/1.1\r\n${head}Content-Length: ${PET.length}\r\n\r\n${PET}`],
  }
}

function goodputOf({ statuses, seconds }: Figures): number {
  return ((statuses[200] ?? 0) + (statuses[201] ?? 0)) / seconds
}

async function run(plan: Plan) {
  const measured = await overload(plan)
  const whole = (number: number): string => number.toFixed(0)
  const rows = measured.map(({ load, peak, offered, goodput, refused, p99, faults }) => {
    const share = `${whole(goodput)} (${whole((100 * goodput) / peak)} %)`
    return `| ${[load, whole(peak), whole(offered), share, whole(refused), `${whole(p99)} ms`, faults.join('; ') || 'none'].join(' | ')} |`
  })
  const passed = measured.every(
    ({ peak, goodput, p99, faults }) => goodput >= GOODPUT_MIN * peak && p99 <= P99_MS_MAX && faults.length === 0,
  )
  const text = `Requests are due at a fixed rate, whatever the server does, on at most ${plan.connections} connections with one request each at a time.
Each load runs for ${plan.seconds} seconds on the machine of the server. The peak is what ${PEAK_CONNECTIONS} connections get.

| load | peak a second | offered | answered (of the peak) | refused with 503 | p99 of the answered | other |
|---|---|---|---|---|---|---|
${rows.join('\n')}

- ${passed ? 'Passed' : 'FAILED'}: at least ${GOODPUT_MIN * 100} % of the peak, p99 at most ${P99_MS_MAX / 1000} s, and only successful answers and 503.
- A request that is due while every connection waits is never sent, so most of an overload never reaches the server. A request that does
  reach it and would wait too long gets 503 (\`packages/service/src/http/limits/admission.ts\`, \`packages/service/src/store/shared/group-commit.ts\`).`
  return { text, passed }
}

export const main = experiment({
  name: 'overload',
  title: 'Overload',
  description: 'Sends five times as many requests as the server can answer, and measures what it answers.',
  options: {
    seconds: ['how long each load runs', 10],
    connections: ['how many connections the overload uses', 2_000],
  },
  run,
})
