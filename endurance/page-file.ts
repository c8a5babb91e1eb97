// A large file on the page at `/`: exported, read and imported, with the longest task that kept the page from answering. Nobody listens to the
// browser's requests here, as Playwright would: that takes the browser longer than the requests do.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { temporaryFile } from '../test/support/files.ts'
import { until } from '../test/support/until.ts'

const WAIT = { ms: 1_200_000, everyMs: 100 }

export interface Moved {
  what: string
  seconds: number
  /** The longest task, in milliseconds; 0 where none was as long as browsers call long, which is 50. */
  longest: number
}

const WATCH_TASKS = `(window.longTasks = [], new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(duration)
}).observe({ type: 'longtask' }))`

export async function* moveFile(origin: string, key: string, rows: number): AsyncGenerator<Moved> {
  const folder = temporaryFile('page-file')
  mkdirSync(folder)
  const path = await chromium.executablePath()
  const view = new Bun.WebView({ backend: { type: 'chrome', path, argv: ['--no-sandbox', '--disable-gpu'] } })

  const isSo = (condition: string) => until(condition, () => view.evaluate(`Boolean(${condition})`), WAIT)
  const button = (label: string) =>
    `[...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('${label}'))`
  async function timed(what: string, start: () => Promise<unknown>, isDone: () => Promise<unknown>) {
    const from = performance.now()
    await start()
    await isDone()
    const longest = (await view.evaluate('Math.max(0, ...window.longTasks.splice(0))')) as number
    return { what, seconds: (performance.now() - from) / 1000, longest }
  }

  await view.navigate(`${origin}/`)
  await isSo(`document.activeElement.tagName === 'INPUT'`)
  await view.type(key)
  await view.press('Enter')
  await isSo(button('Export'))
  await view.evaluate(WATCH_TASKS)

  await view.cdp('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder })
  const exported = join(folder, 'animals.csv')
  // The file is there, empty, before it is whole.
  const isWhole = async () => existsSync(exported) && readFileSync(exported, 'utf8').split('\n').length === rows + 2
  yield await timed(
    'exported',
    () => view.evaluate(`${button('Export')}.click()`),
    () => until('the file is whole', isWhole, WAIT),
  )

  const lines = Array.from({ length: rows }, (_, n) => `Luna ${n},${n % 1000},${n % 3 ? '' : 'sold'}\n`)
  const file = join(folder, 'pets.csv')
  await Bun.write(file, `name,categoryId,status\n${lines.join('')}`)
  await view.evaluate(`${button('Import')}.click()`)
  await isSo(`document.querySelector('#import-file')`)
  const { result } = await view.cdp<{ result: { objectId: string } }>('Runtime.evaluate', {
    expression: `document.querySelector('#import-file')`,
  })
  const all = rows.toLocaleString('en-GB')
  const choose = () => view.cdp('DOM.setFileInputFiles', { objectId: result.objectId, files: [file] })
  yield await timed('read', choose, () => isSo(button(`Add ${all}`)))
  const add = () => view.evaluate(`${button(`Add ${all}`)}.click()`)
  yield await timed('imported', add, () => isSo(`document.body.innerText.includes('${all} added.')`))
  view.close()
}
