// A picture of the command line: what a first start and a few commands print, each really run, set as a terminal shows it.

import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { temporaryFile } from '../test/support/files.ts'

/** The address, the key and the file are in the environment. */
const COMMANDS = [
  'petstore demo',
  'petstore pets list --status sold --limit 5',
  'petstore pets add Rex --category 7',
  "petstore keys create --name 'till 3' --expires 90d --read-only",
  'petstore keys list',
]

/** Writes the picture to `path`; `root` is the project's folder. */
export async function terminalPicture(browser: Browser, root: string, path: string): Promise<void> {
  const database = temporaryFile('petstore.db')
  const server = Bun.spawn([join(root, 'bin/petstore'), 'serve', '--port', '0', '--database', database], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const started = await readUntil(server.stdout, /listening on (\S+)\n/)
  const [, url = ''] = /listening on (\S+)/.exec(started) ?? []
  const [, key = ''] = /(pets_live_\w+)/.exec(started) ?? []
  const environment = { ...process.env, PETSTORE_URL: url, PETSTORE_API_KEY: key, PETSTORE_DATABASE: database }
  const lines = ['$ npm start', started.trim(), '']
  for (const command of COMMANDS) {
    const run = command.replace('petstore', `"${join(root, 'bin/petstore')}"`)
    const { stdout, stderr, exitCode } = Bun.spawnSync(['sh', '-c', run], { env: environment })
    if (exitCode !== 0) throw new Error(`${command}: ${stderr}`)
    lines.push(`$ ${command}`, `${stdout}${stderr}`.trim(), '')
  }
  server.kill()
  await server.exited
  // Shows the defaults instead of the free port and the temporary file that were used.
  const text = lines
    .join('\n')
    .replaceAll(new URL(url).host, '127.0.0.1:8080')
    .replaceAll(` --database ${database}`, '')
    .replaceAll(database, '/home/anna/petstore/data/petstore.db')
  const page = await browser.newPage({ viewport: { width: 1040, height: 400 } })
  await page.setContent(`<!doctype html><style>
    body { margin: 0; background: #1d1f21 }
    pre { margin: 0; padding: 20px 24px; color: #d8dadb; font: 14px/1.55 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap }
    b { color: #6fd0bb }
  </style><pre>${lineMarkup(text)}</pre>`)
  await page.screenshot({ path, fullPage: true })
  await page.close()
}

function lineMarkup(text: string): string {
  return Bun.escapeHTML(text).replaceAll(/^\$ (.*)$/gm, '<b>$ $1</b>')
}

async function readUntil(stream: ReadableStream<Uint8Array>, end: RegExp): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (end.test(text)) return text
  }
  throw new Error(`the service did not start: ${text}`)
}
