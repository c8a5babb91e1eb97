// `petstore pets import` and `export`: each record is added once, and bad records are reported by line.

import { describe, expect, test } from 'bun:test'
import { mkdtempSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { petFilter } from '../../../test/support/lists.ts'
import { newPet, petBody, petsOf } from '../../../test/support/pets.ts'
import { root, run, serve } from '../../../test/support/process.ts'
import { peakBytesOf } from '../../../test/support/process-tree.ts'
import { startService } from '../../../test/support/service.ts'
import { openShop } from '../../../test/support/shop.ts'
import { until } from '../../../test/support/until.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { BODY_BYTES_MAX } from '../../contract/src/limits.ts'

const { client, count, cwd, file, pets, service } = await openShop()

describe('import and export', () => {
  test.each(['csv', 'json', 'ndjson'])('imports an export as %s once', async (format) => {
    const name = 'a "b", c\r\n\u001b\u{1F436}'
    const awkward = newPet({ name, categoryId: 2n ** 63n - 1n, status: 'pending' })
    await client.createPet(awkward)
    const exported = await pets(['export', `all.${format}`])
    expect(exported).toMatchObject({ status: 0, stdout: '' })
    const before = await count()
    const first = await pets(['import', `all.${format}`, '--json'])
    expect(first).toEqual({ status: 0, stderr: '', stdout: `{"added":${before},"present":0,"refused":0}\n` })
    const again = await pets(['import', `all.${format}`])
    expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining(`${before} more`) })
    expect(await count()).toBe(2 * before)
    // An import sends many records together, so the order can differ.
    const imported = (await Array.fromAsync(client.listPets())).slice(before)
    expect(imported.map((pet) => pet.name)).toContain(awkward.name)
    expect((await pets(['import', `all.${format}`, '--again', '--json'])).stdout).toContain(`"added":${before},`)
  })

  test('an import reports each bad record by line, and a second run of the corrected file adds the rest', async () => {
    const [good, bad] = [petBody({ name: 'good' }), petBody({ name: '', categoryId: 'x' })]
    const large = petBody({ name: 'x'.repeat(BODY_BYTES_MAX) })
    const name = file('mixed.ndjson', [good, bad, '', good, '{', large].join('\n'))
    const before = await count()
    const first = await pets(['import', name, '--keep-going'])
    expect(first.status).toBe(5)
    expect(first.stderr).toMatch(/^line 2: name must .*\. categoryId must .*\.\n/m)
    expect(first.stderr).toMatch(/^line 5: .* JSON.*\n/m)
    expect(first.stderr).toMatch(/^line 6: .* larger .*\n/m)
    file('mixed.ndjson', [good, good, '', good, ''].join('\n'))
    const second = await pets(['import', name, '--json'])
    expect(second).toMatchObject({ status: 0, stdout: '{"added":1,"present":2,"refused":0}\n' })
    expect(await count()).toBe(before + 3)
  })

  test('an import recognises a file by its real path, from any folder or through a link', async () => {
    const path = join(cwd, file('real.ndjson', petBody({ name: 'Real' })))
    const link = temporaryFile('link.ndjson')
    symlinkSync(path, link)
    const counts = async (args: string[], folder = cwd) =>
      (await run(['pets', 'import', ...args, '--json'], { cwd: folder, env: service.env })).stdout
    expect(await counts(['real.ndjson'])).toContain('"added":1,"present":0')
    for (const [typed, folder] of [
      [join('..', basename(cwd), 'real.ndjson'), cwd],
      [path, dirname(link)],
      ['link.ndjson', dirname(link)],
    ] as const) {
      expect(await counts([typed], folder)).toContain('"added":0,"present":1')
    }
  })

  test('an import reports bad records in file order, and then the counts', async () => {
    const lines = Array.from({ length: 300 }, (_, n) =>
      n % 3 === 0 ? petBody({ name: '' }) : n % 3 === 1 ? '{' : petBody(),
    )
    // These are rejected locally, before the service rejects the others.
    lines.push(...Array(100).fill('{'))
    const { stderr } = await pets(['import', file('order.ndjson', lines.join('\n')), '--keep-going'])
    const named = [...stderr.matchAll(/^line (\d+):/gm)].map(([, line]) => Number(line))
    expect(named.length).toBe(300)
    expect(stderr.lastIndexOf('\nline ')).toBeLessThan(stderr.indexOf('\nAdded '))
    expect(named).toEqual(named.toSorted((a, b) => a - b))
  })

  test('an import reports a file without records', async () => {
    for (const name of ['empty.csv', 'empty.ndjson']) {
      const ended = await pets(['import', file(name, '')])
      expect(ended).toEqual({ status: 0, stdout: '', stderr: `There are no records in ${name}.\n` })
    }
  })

  test('an import stops at the first bad record by default', async () => {
    const many = Array.from({ length: 500 }, (_, n) => petBody({ name: `pet ${n}` }))
    const ended = await pets(['import', file('first.ndjson', ['7', ...many].join('\n')), '--json'])
    expect(ended.status).toBe(5)
    expect(JSON.parse(ended.stdout).added).toBeLessThan(100)
  })

  test('an import reads standard input', async () => {
    const args = ['pets', 'import', '-', '--format', 'csv', '--as', 'one']
    for (const added of [1, 0]) {
      const { stderr } = await run(args, { cwd, env: service.env, stdin: 'name,categoryId\nStdin,1\n' })
      expect(stderr).toContain(`Added ${added} pet`)
    }
  })

  test.skipIf(process.platform !== 'linux')('an import needs less memory than the size of its file', async () => {
    const record = `${petBody({ name: 'large', more: 'x'.repeat(60_000) })}
`
    const name = file('large.ndjson', record.repeat(4_000))
    const env = { PATH: process.env.PATH ?? '', ...service.env }
    const command = [join(root, 'bin/petstore'), 'pets', 'import', name]
    const child = Bun.spawn(command, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
    const peakBytes = await peakBytesOf(child)
    expect(await child.stderr.text()).toContain('Added 4000 pets.')
    expect(peakBytes).toBeWithin(1, 4_000 * record.length)
  })
})

describe.concurrent('an interrupted import', () => {
  test.each([
    ['the next record from standard input', '-', {}],
    ['a long Retry-After', 'one.ndjson', { limits: { rate: { requests: 1, periodSeconds: 3_600 } } }],
  ] as const)('an interrupted import that waits for %s ends', async (_what, name, options) => {
    const { env, get } = await startService({ ...options, now: Date.now })
    await get('/pets')
    file('one.ndjson', petBody())
    const command = [join(root, 'bin/petstore'), 'pets', 'import', name, '--format', 'ndjson']
    const child = Bun.spawn(command, {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let stderr = ''
    async function read(): Promise<void> {
      for await (const chunk of child.stderr) stderr += Buffer.from(chunk)
    }
    const reading = read()
    if (name === '-') {
      child.stdin.write(`${petBody()}\n`)
      child.stdin.flush()
      await until('the record is added', async () => (await get('/store/inventory')).text.includes('1'))
    } else await until('the import waits', () => /^Waiting: .* The next attempt is in 60 min\.$/m.test(stderr))
    child.kill('SIGINT')
    expect(await child.exited).toBe(130)
    await reading
    expect(stderr).toContain(`Added ${name === '-' ? '1 pet' : '0 pets'}.`)
    expect(stderr).toContain('Run the same import again')
  })

  const PETS = 1_000
  const records = Array.from({ length: PETS }, (_, n) => petBody({ name: `pet ${n}` })).join('\n')

  test.each([
    ['SIGKILL', 137],
    ['SIGINT', 130],
  ] as const)('an interrupted import by %s adds the rest and no duplicates in a second run', async (signal, status) => {
    const shop = await startService()
    const env = { PATH: process.env.PATH ?? '', ...shop.env }
    const name = file(`${signal}.ndjson`, records)
    const command = [join(root, 'bin/petstore'), 'pets', 'import', name]
    const child = Bun.spawn(command, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
    const imported = async () => petsOf(await shop.store.listPets(petFilter({ limit: 100 }))).length
    await until('100 pets are imported', async () => (await imported()) >= 100)
    child.kill(signal)
    expect(await child.exited).toBe(status)
    if (signal === 'SIGINT') expect(await child.stderr.text()).toContain('Run the same import again')
    const again = await run(['pets', 'import', name, '--json'], { cwd, env })
    const { added, present } = JSON.parse(again.stdout)
    expect(added).toBeGreaterThan(0)
    expect(present).toBeGreaterThanOrEqual(100)
    expect(added + present).toBe(PETS)
    const all = await Array.fromAsync(new PetstoreClient({ baseUrl: shop.url, apiKey: shop.key }).listPets())
    expect(new Set(all.map((pet) => pet.name)).size).toBe(PETS)
    expect(all.length).toBe(PETS)
  })

  test('an interrupted import continues after the service is killed and restarted', async () => {
    const folder = mkdtempSync(temporaryFile('shop-'))
    const first = await serve([], { cwd: folder })
    const port = new URL(first.url).port
    const env = { PATH: process.env.PATH ?? '', PETSTORE_URL: first.url, PETSTORE_API_KEY: first.key }
    const name = file('restart.ndjson', records)
    const importing = run(['pets', 'import', name, '--json'], { cwd, env })
    const shop = new PetstoreClient({ baseUrl: first.url, apiKey: first.key })
    await until('100 pets are listed', async () => (await shop.listPage({ limit: 100 })).pets.length >= 100)
    await first.stop('SIGKILL')
    const second = await serve(['--port', port], { cwd: folder })
    const { status, stdout } = await importing
    // Records whose responses were lost in the crash can count as present.
    const { added, present, refused } = JSON.parse(stdout)
    expect([status, added + present, refused]).toEqual([0, PETS, 0])
    expect((await Array.fromAsync(shop.listPets())).length).toBe(PETS)
    expect(await second.stop()).toBe(0)
  })
})
