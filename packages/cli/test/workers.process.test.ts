// `serve --workers N`: several processes on one port behave as one.

import { describe, expect, test } from 'bun:test'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { ended } from '../../../test/support/ended.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { petBody } from '../../../test/support/pets.ts'
import { type Running, run, serve, sourceWith } from '../../../test/support/process.ts'
import { childrenOf } from '../../../test/support/process-tree.ts'
import { until } from '../../../test/support/until.ts'
import { generateKey } from '../../service/src/domain/keys.ts'

const PET = petBody()
const LINUX = process.platform === 'linux'

/** Uses a new connection, so that any worker can get the request. */
async function ask(method: string, url: string, key: string, body?: string) {
  const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
  const answer = await fetch(url, { method, headers, keepalive: false, ...(body ? { body } : {}) })
  return { status: answer.status, text: await answer.text() }
}

/** The number of processes that listen on the port (proc_pid_net(5)). */
function listenersOf({ url }: Running): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  const listening = new RegExp(`^ *\\d+: [0-9A-F]+:${port} \\S+ 0A `)
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => listening.test(line)).length
}

// Only Linux distributes the connections of a shared port.
describe.skipIf(!LINUX)('workers', () => {
  test('workers list pets that another worker has just acknowledged', async () => {
    const file = temporaryFile('petstore.db')
    const service = await serve(['--workers', '3', '--database', file])
    expect(childrenOf(service.pid).length).toBe(2)
    let count = 0
    for (let n = 0; n < 60; n++) {
      const { text } = await ask('POST', `${service.url}/pets`, service.key, PET)
      count++
      const lists = Array.from({ length: 4 }, () => ask('GET', `${service.url}/pets?limit=100`, service.key))
      for (const list of await Promise.all(lists)) {
        expect(list.text).toEndWith(`${text}]`)
        expect(list.text.split('"id"').length - 1).toBe(count)
      }
    }
    expect(await service.stop()).toBe(0)
    const lines = service.stderr().trim().split('\n')
    expect(lines.filter((line) => JSON.parse(line).msg === 'createPet').length).toBe(60)
  })

  test('workers are replaced if they end, with the settings that the first process read from files', async () => {
    const [address, keyFile, categories] = [temporaryFile('address'), temporaryFile('key'), temporaryFile('c.csv')]
    const key = generateKey('production')
    writeFileSync(address, temporaryFile('petstore.db'))
    writeFileSync(keyFile, key)
    writeFileSync(categories, 'id,name\n7,Dogs\u2028Puppies\n')
    const service = await serve(['--workers', '2'], {
      env: { PETSTORE_DATABASE_FILE: address, PETSTORE_BOOTSTRAP_KEY_FILE: keyFile, PETSTORE_CATEGORIES: categories },
    })
    for (const file of [address, keyFile, categories]) unlinkSync(file)
    const [worker] = childrenOf(service.pid)
    process.kill(worker as number, 'SIGKILL')
    await service.logs('worker ended')
    for (let n = 0; n < 5; n++) expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(200)
    const isReplaced = () => listenersOf(service) === 2 && !childrenOf(service.pid).includes(worker as number)
    await until('another worker listens', isReplaced)
    // Each process gets about half of the connections, so 20 responses come from both.
    let ready = 0
    await until('both are ready', async () => {
      const { status } = await ask('GET', new URL('/readyz', service.url).href, key)
      ready = status === 200 ? ready + 1 : 0
      return ready === 20
    })
    const names = Array.from({ length: 20 }, () => ask('GET', new URL('/names', service.url).href, key))
    const shown = { store: 'Petstore', categories: [{ id: 7, name: 'Dogs\u2028Puppies' }] }
    for (const { text } of await Promise.all(names)) expect(JSON.parse(text)).toEqual(shown)
    expect(await service.stop()).toBe(0)
  })

  test('workers are replaced later if their replacement fails at first', async () => {
    const database = temporaryFile('petstore.db')
    const service = await serve(['--workers', '2', '--database', database])
    expect(listenersOf(service)).toBe(2)
    // No process opens a store file that has two names.
    linkSync(database, `${database}.link`)
    for (const worker of childrenOf(service.pid)) process.kill(worker, 'SIGKILL')
    await service.logs('Keep one name')
    unlinkSync(`${database}.link`)
    await until('both processes listen', () => listenersOf(service) >= 2)
    expect(await service.stop()).toBe(0)
  })

  test('all end when the main process is killed', async () => {
    const service = await serve(['--workers', '2', '--database', temporaryFile('petstore.db')])
    const workers = childrenOf(service.pid)
    await service.stop('SIGKILL')
    const alive = () => workers.filter((pid) => Bun.spawnSync(['kill', '-0', String(pid)]).exitCode === 0)
    await until('the workers have ended', () => alive().length === 0, { everyMs: 50 })
  })

  test('workers reject a port in use, even if another service shares it', async () => {
    const first = await serve(['--workers', '2', '--database', temporaryFile('petstore.db')])
    const { port } = new URL(first.url)
    expect(await run(['serve', '--workers', '2', '--port', port, '--database', temporaryFile('petstore.db')])).toEqual(
      ended(1, `Port ${port}`),
    )
    await first.stop()
  })

  test('workers end the service before it creates a key if one cannot start', async () => {
    const database = temporaryFile('petstore.db')
    const preload = temporaryFile('preload.ts')
    writeFileSync(preload, "if (process.argv.includes('--worker')) process.exit(1)")
    const args = ['--workers', '2', '--database', database]
    const command = sourceWith(preload)
    const { status, stdout, stderr } = await run(['serve', '--port', '0', ...args], { command })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('Worker 2 could not start.')
    const again = await serve(args)
    expect(again.key).toBeDefined()
    await again.stop()
  })
})
