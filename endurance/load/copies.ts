// What Litestream writes beside a load: a disk that fills up for a while, and whether what is restored from it is the store.

import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Copying, restoreCopy } from '../../test/support/litestream.ts'
import { run as runCli } from '../../test/support/process.ts'

/** In memory. */
const DISK_MB = 12_000
const QUIET_MS = 3_000

/** A separate disk at `folder`; where this machine allows none, a folder that cannot be written while it is full. */
export function diskAt(folder: string) {
  mkdirSync(folder)
  const ballast = join(folder, 'ballast')
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder]).success
  if (mounted) {
    const remove = () => Bun.spawnSync(['umount', folder])
    process.once('exit', remove)
    const room = () => statfsSync(folder).bavail * statfsSync(folder).bsize
    return {
      fill: () => Bun.spawnSync(['fallocate', '-l', `${room()}`, ballast]),
      free: () => rmSync(ballast, { force: true }),
      remove,
    }
  }
  const away = `${folder}-away`
  return {
    fill() {
      renameSync(folder, away)
      writeFileSync(folder, '')
    },
    free() {
      rmSync(folder)
      renameSync(away, folder)
    },
    remove: () => undefined,
  }
}

/** Resolves when Litestream, which sends once a second, has not written to the folder for longer. */
export async function sent(folder: string): Promise<void> {
  const writtenAt = () =>
    Math.max(...readdirSync(folder, { recursive: true }).map((file) => timeOf(join(folder, `${file}`))))
  // It renames what it has written: a file that has gone meanwhile was written just now.
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  while (Date.now() - writtenAt() < QUIET_MS) await Bun.sleep(500)
}

/** Between the store and what is restored of it: none, where all was sent. */
export async function differences(copying: Copying, to: string): Promise<string[]> {
  const restored = await restoreCopy(copying, to)
  if (restored.status !== 0) return [`the copy cannot be restored: ${restored.stderr || restored.stdout}`]
  const checked = await runCli(['check-backup', to])
  if (checked.status !== 0) return [checked.stderr]
  using copy = new Database(to, { readwrite: true, create: false })
  copy.run('ATTACH ? AS store', [copying.env.PETSTORE_DATABASE])
  const numberOf = (query: string) => copy.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${query}`).get()?.n ?? 0
  return ['pets', 'events', 'inventory'].flatMap((table) => {
    const columns = copy
      .query<{ name: string; pk: number }, []>(`SELECT name, pk FROM pragma_table_info('${table}')`)
      .all()
    const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
    const row = (of: string) => columns.map(({ name }) => `${of}.${name}`).join()
    const lacks = numberOf(
      `store.${table} AS one LEFT JOIN main.${table} AS other USING (${key}) WHERE (${row('one')}) IS NOT (${row('other')})`,
    )
    const more = numberOf(`main.${table}`) - numberOf(`store.${table}`) + lacks
    return lacks || more ? [`the copy lacks ${lacks} rows of ${table}, and has ${more} that are not there`] : []
  })
}
