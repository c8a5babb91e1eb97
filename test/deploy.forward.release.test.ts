// The examples in deploy/ that forward events, run unchanged in a folder that represents a machine.

import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { compose, pair, unit } from './support/examples.ts'
import { temporaryFile } from './support/files.ts'
import { launcher } from './support/process.ts'
import { startService } from './support/service.ts'
import { SECRET, startHook, taken } from './support/webhook.ts'

const service = await startService({ now: Date.now })
await service.post('{"name":"Rex","categoryId":7}')
const hook = await startHook(taken)

/** `secrets` maps each file of a secret to whether it is the API key. */
function ofSystemd() {
  const folder = '/run/credentials/petstore-forward.service'
  const all = (directive: string) =>
    unit('petstore-forward.service')(directive).map((value) => value.replaceAll('%d', folder))
  const [program, ...args] = all('ExecStart')[0]?.split(' ') ?? []
  expect(program).toBe('/usr/local/bin/petstore')
  const loaded = all('LoadCredential').map((each) => each.split(':')[0] as string)
  return {
    args,
    environment: Object.fromEntries(all('Environment').map(pair)),
    secrets: Object.fromEntries(loaded.map((name) => [`${folder}/${name}`, name === 'key'])),
    state: `/var/lib/${all('StateDirectory')[0]}/place`,
  }
}

function ofCompose() {
  const { services, volumes } = compose()
  const { command, environment, secrets, volumes: mounted } = services.forward
  expect(mounted.map((each) => each.split(':')[0] as string).filter((name) => !(name in volumes))).toEqual([])
  return {
    args: command.map((each) => each.replace(':-}', '}')),
    environment,
    secrets: Object.fromEntries(secrets.map((name) => [`/run/secrets/${name}`, name === 'key'])),
    state: `${mounted[0]?.split(':')[1]}/place`,
  }
}

test.each([
  ['petstore-forward.service', ofSystemd],
  ['compose.yaml', ofCompose],
])('%s forwards', async (_name, read) => {
  const { args, environment, secrets, state } = read()
  const machine = mkdtempSync(temporaryFile('machine-'))
  const here = (text: string) => text.replace(/(?<=^|=)\/(?=run|var|data)/, `${machine}/`)
  for (const [path, isKey] of Object.entries(secrets)) {
    mkdirSync(dirname(here(path)), { recursive: true })
    writeFileSync(here(path), `${isKey ? service.key : SECRET}\n`, { mode: 0o400 })
  }
  mkdirSync(dirname(here(state)), { recursive: true })
  const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)]))
  const before = hook.all.length
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose and systemd expand this variable.
  const command = args.map((each) => here(each).replace('${WEBHOOK}', hook.url))
  const env = { PATH: process.env.PATH ?? '', ...given, PETSTORE_URL: service.url }
  const child = Bun.spawn([launcher, ...command], { cwd: machine, env, stdio: ['ignore', 'ignore', 'inherit'] })
  await hook.received(before + 1)
  child.kill()
  expect(await child.exited).toBe(0)
  expect(existsSync(here(state))).toBe(true)
})

test('Compose reaches the service by its name', () => {
  const { services } = compose()
  const { hostname } = new URL(services.forward.environment.PETSTORE_URL as string)
  expect(Object.keys(services)).toContain(hostname)
})
