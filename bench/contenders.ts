// The servers that are compared: the service on either store, and the bare runtime as the floor.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeEventCursor, encodeEventCursor, markOf } from '../packages/service/src/domain/events.ts'
import type { PetStatus } from '../packages/service/src/domain/pets.ts'
import { cursorAfter } from '../test/support/cursors.ts'
import { Cluster } from '../test/support/postgres.ts'
import { CORES, ROOT, run, stayOn, temporaryFolder } from './machine.ts'
import { type BenchRequest, cursorOf, events, LIST, type Work } from './requests.ts'
import { addedAt, copySeeded } from './seed.ts'
import { type Answer, answerOf, type Running, type Starting, start } from './servers.ts'

export interface Contender {
  name: string
  /** The cursor of the page after this id. */
  cursor(after: number, status?: PetStatus): string
  /** Creates a store with this number of pets in an empty folder, and returns how to start the server. */
  prepare(folder: string, pets: number, work: Work): Promise<Starting>
}

const PROGRAM = 'bin/petstore'
/** The service of the source tree at `root` with its default settings. Its log goes to a file. */
export function ours(root: string, name = 'petstore'): Contender {
  return withStore(name, (database) => ({ command: serving(join(root, PROGRAM), database) }), root)
}

export const US = ours(ROOT)

/** The service of the source tree at `root` on PostgreSQL with default durability. PostgreSQL can use both cores. */
export function onPostgres(root: string, name: string): Contender {
  const program = join(root, PROGRAM)
  async function launch(database: string): Promise<Launched> {
    stayOn(CORES.server, CORES.load)
    const cluster = await Cluster.start({ shared_buffers: '256MB' })
    stayOn(CORES.load)
    const address = await cluster.newDatabase()
    run([program, 'copy', '--from', database, '--to', address])
    return { command: serving(program, address), stopped: () => cluster.remove() }
  }
  return withStore(name, launch, root)
}

function serving(program: string, database: string): Starting['command'] {
  return (port) => [program, 'serve', '--port', port, '--database', database]
}

type Launched = Omit<Starting, 'key'>
type Launch = (database: string) => Launched | Promise<Launched>

function withStore(name: string, launch: Launch, root = ROOT): Contender {
  return {
    name,
    cursor: (after, status) => cursorAfter(BigInt(after), status),
    async prepare(folder, pets, work) {
      const database = join(folder, 'store.db')
      const key = copySeeded(root, pets, database, work)
      return { key, ...(await launch(database)) }
    },
  }
}

/** The bare runtime, which responds to all requests with the service's response to the first one; see floor.ts. */
export const FLOOR: Contender = {
  ...US,
  name: 'floor',
  async prepare(folder, pets, work) {
    const answer = await ourAnswer(pets, work)
    const file = join(folder, 'answer.json')
    writeFileSync(file, JSON.stringify(answer))
    return { key: answer.key, command: (port) => [process.execPath, join(import.meta.dir, 'floor.ts'), file, port] }
  },
}

async function ourAnswer(pets: number, work: Work): Promise<Answer> {
  using folder = temporaryFolder()
  await using server = await start(await US.prepare(folder.path, pets, work), folder.path)
  const [first] = await requestsTo(server, US, work, pets)
  const filled: BenchRequest = JSON.parse(JSON.stringify(first).replaceAll('{nnnn}', '100000'))
  return await answerOf(server, filled)
}

/** The requests of this work to a server with this number of pets. */
export async function requestsTo(
  server: Pick<Running, 'port' | 'key'>,
  contender: Contender,
  work: Work,
  pets: number,
): Promise<BenchRequest[]> {
  const { headers } = await answerOf(server, LIST)
  const feed = await answerOf(server, events('from=now'))
  const end = cursorOf(feed.headers.link)
  const place = (event: number) => {
    const [id, at] = [BigInt(event), addedAt(event)]
    const mark = event === 0 ? undefined : markOf({ type: 'pet.added', at, petId: id })
    return encodeEventCursor({ ...decodeEventCursor(end), id, mark })
  }
  return work.requests({ pets, cursor: contender.cursor, place, etag: headers.etag ?? '' })
}
