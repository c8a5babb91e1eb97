// Runs the terminal sessions in the documents, and compares the output of each command.

import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { launcher, root, run, serve } from './support/process.ts'

interface Session {
  file: string
  /** Skips earlier sessions, which need a person. */
  from?: string
  /** Flags of the service. */
  flags?: string[]
  /** The session does not show its key. */
  keyGiven?: true
}

const SESSIONS: Session[] = [
  { file: 'README.md' },
  { file: 'docs/tutorial.md' },
  { file: 'docs/orders.md', flags: ['--ephemeral', '--demo'], keyGiven: true },
  { file: 'docs/cli.md', from: '## Pets', keyGiven: true },
]

/** A hundred records for docs/cli.md, two of which are rejected. */
const RECORDS = Array.from({ length: 100 }, (_, n) =>
  n === 1 ? ',7,available' : n === 5 ? 'Rex,7,sold,old' : `Pet ${n},7,sold`,
)
const FILES = { 'pets.csv': `name,categoryId,status\n${RECORDS.join('\n')}\n` }

const TIME = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z)?/g
/** Normalises what differs in every recording. */
const recorded = (text: string) =>
  text
    .replaceAll(/pets_live_(?:\w{28}|…)/g, `pets_live_${'x'.repeat(28)}`)
    .replaceAll(/…\w{4}/g, '…xxxx')
    .replaceAll(/never .*$/gm, 'never')
    // The column is wider once a key's last use is saved.
    .replaceAll(/LAST USED +/g, 'LAST USED  ')
    .replaceAll(TIME, (time) => time.replaceAll(/\d/g, '9'))

/** Each command with the output below it. */
function printed({ file, from = '' }: Session): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const consoles = [...text.slice(text.indexOf(from)).matchAll(/^```console\n([\s\S]*?)^```$/gm)]
  return consoles.flatMap(([, console = '']) =>
    console
      .split(/^\$ /m)
      .slice(1)
      .filter((block) => !block.startsWith('npm start\n')),
  )
}

test.each(SESSIONS)('$file: every command prints the output below it', async (session) => {
  const blocks = printed(session)
  const cwd = mkdtempSync(temporaryFile('clone-'))
  mkdirSync(join(cwd, 'bin'))
  symlinkSync(launcher, join(cwd, 'bin/petstore'))
  // curl shows no progress for such a small body at a terminal.
  writeFileSync(join(cwd, '.curlrc'), 'silent\n')
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text)
  const service = await serve(session.flags ?? [], { cwd })
  const { port, host } = new URL(service.url)
  const env = { HOME: cwd, PATH: `${cwd}/bin:${process.env.PATH}`, PETSTORE_PORT: port }
  const key = session.keyGiven && { PETSTORE_API_KEY: service.key }
  let before = ''
  for (const block of blocks) {
    const [words = ''] = /^(?:.*\\\n)*.*\n/.exec(block) ?? []
    // A command with a fixed time fails after that time.
    expect(words.match(TIME)).toBeNull()
    const command = words.replaceAll(/pets_live_(?:x+|…)/g, service.key).replaceAll('127.0.0.1:8080', host)
    const shell = ['sh', '-c', `exec 2>&1\n${before}${command}`]
    const { status, stdout } = await run([], { cwd, env: { ...env, ...key }, command: shell })
    const shown = recorded(words + stdout.replaceAll(host, '127.0.0.1:8080')).trimEnd()
    // A command without output below it only has to succeed.
    if (block.trimEnd() === words.trimEnd()) expect([words, status === 0 ? '' : stdout]).toEqual([words, ''])
    else expect(shown).toBe(recorded(block).trimEnd())
    if (/^(?:export |alias |\w+=)/.test(command)) before += command
  }
  expect(blocks.length).toBeGreaterThan(2)
  await service.stop()
})
