// Records docs/first-minute.txt: a first start and the first commands in a terminal of 80 columns.

import { join } from 'node:path'
import { launcher } from '../test/support/process.ts'
import { openTerminal, plain } from '../test/support/terminal.ts'

const COMMANDS = [
  ['pets', 'list'],
  ['pets', 'add', 'Mia', '--category', '2'],
  ['keys', 'create', '--name', 'till 3', '--read-only'],
  ['keys', 'list'],
]

const service = openTerminal(['serve', '--port', '0'])
await service.waitFor('petstore listening on')
const started = plain(service.shown())
const [, curl = '', answer = ''] = /^ +(curl [\s\S]*?)\n\nThe answer: (.*)$/m.exec(started) ?? []
const url = /listening on (\S+)/.exec(started)?.[1] ?? ''
const data = /^Data +(\S+)$/m.exec(started)?.[1] ?? ''
const key = /pets_live_\w+/.exec(started)?.[0] ?? ''
const pasted = Bun.spawnSync(['sh', '-c', curl]).stdout.toString()
if (pasted !== answer) throw new Error(`The first command gave ${pasted}.`)
let text = `$ npm start\n${started}\n$ ${curl}\n${pasted}\n\n$ export PETSTORE_API_KEY=${key}\n`
for (const command of COMMANDS) {
  const terminal = openTerminal(command, { PETSTORE_URL: url, PETSTORE_API_KEY: key, PETSTORE_DATABASE: data })
  const status = await terminal.exited
  if (status !== 0) throw new Error(`${command.join(' ')}: ${terminal.shown()}`)
  const words = command.map((word) => (/^[\w-]+$/.test(word) ? word : `'${word}'`))
  text += `\n$ bin/petstore ${words.join(' ')}\n${plain(terminal.shown())}`
}
service.type('\x03')
await service.exited
// Replaces the key, port and paths, which differ in every recording.
const told = text
  .replaceAll(/pets_live_\w{28}/g, `pets_live_${'x'.repeat(28)}`)
  .replaceAll(/…\w{4}/g, '…xxxx')
  .replaceAll(new URL(url).host, '127.0.0.1:8080')
  .replaceAll(data, '/home/ada/petstore/data/petstore.db')
  .replaceAll(launcher, 'bin/petstore')
await Bun.write(join(import.meta.dir, '../docs/first-minute.txt'), told)
