// Measures the page at `/` with a large store in a browser on a slow connection: the time until rows are painted on load and after frequent
// actions, and the export and import of a large file with its longest blocking task. It does not use Playwright, because intercepting the
// browser's requests takes longer than the requests.
//
//   npm run endurance -- page

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { median } from '../bench/figures.ts'
import { index } from '../bench/seed.ts'
import { PAGE_SIZE } from '../packages/page/src/list/list-position.ts'
import { temporaryFile } from '../test/support/files.ts'
import { until } from '../test/support/until.ts'
import { experiment, print } from './command.ts'
import { newStore, startServer } from './load/stores.ts'

const ROUNDS = 5
/** Browsers call longer tasks "long tasks". */
const TASK_MS_MAX = 50
const WAIT = { ms: 1_200_000, everyMs: 100 }
/** Lighthouse's "slow 4G". */
const LINE = {
  ...{ offline: false, latency: 150 },
  ...{ downloadThroughput: (1_600 * 1024) / 8, uploadThroughput: (750 * 1024) / 8 },
}

// The strings below are JavaScript that runs in the page.
const ROWS = '.rows tbody tr'
const labelled = (tag: string, label: string) =>
  `[...document.querySelectorAll('${tag}')].find((one) => one.textContent.trim().startsWith('${label}'))`
const button = (label: string) => labelled('button', label)
const press = (label: string) => `${button(label)}.click()`

/** Frequent actions, each with the condition that its rows are shown. */
const STEPS: Record<string, [act: string, isDone: string]> = {
  'the next page': [
    press('Next'),
    `document.querySelector('.pager .numbers').textContent.startsWith('${PAGE_SIZE + 1} – ')`,
  ],
  'the last page': [
    `document.querySelector('.pager-steps button:last-child').click()`,
    `document.querySelector('.pager-steps button:last-child').ariaDisabled === 'true'`,
  ],
  'one status': [`${labelled('label', 'Sold')}.click()`, `document.querySelector('${ROWS}:first-child .status-sold')`],
  'a search of two words': [
    `(document.getElementById('search').focus(), document.execCommand('insertText', false, 'lun 7'))`,
    `document.querySelector('${ROWS} mark')`,
  ],
}

/** Milliseconds from the last action, or from the start of the navigation, to the first paint for which the condition holds. */
const paintWhere = (isDone: string) => `new Promise((resolve) => {
    const look = () => (${isDone})
      ? setTimeout(() => resolve(performance.now() - (window.actedAt ?? 0)))
      : requestAnimationFrame(look)
    requestAnimationFrame(look)
  })`
const WATCH = `
  for (const type of ['click', 'input']) addEventListener(type, () => { window.actedAt ??= performance.now() }, true)
  window.rowsPainted = ${paintWhere(`document.querySelector('${ROWS}')`)}`
const WATCH_TASKS = `(window.longTasks = [], new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(duration)
}).observe({ type: 'longtask' }))`

/** Signs in to the page of a service with this number of pets. */
async function onPage<Result>(pets: number, use: (view: Bun.WebView, origin: string) => Promise<Result>) {
  const store = await newStore('sqlite', pets)
  index(store.database)
  const server = await startServer(store)
  const { origin } = new URL(server.url)
  const path = await chromium.executablePath()
  const view = new Bun.WebView({ backend: { type: 'chrome', path, argv: ['--no-sandbox', '--disable-gpu'] } })
  try {
    await view.navigate(origin)
    await isSo(view, `document.activeElement.tagName === 'INPUT'`)
    await view.type(store.key)
    await view.press('Enter')
    await isSo(view, button('Export'))
    return await use(view, origin)
  } finally {
    view.close()
    await server.stop()
    await store.remove()
  }
}

const isSo = (view: Bun.WebView, condition: string) =>
  until(condition, () => view.evaluate(`Boolean(${condition})`), WAIT)

/** Returns the rows of a table: milliseconds by action. */
async function paints(view: Bun.WebView, origin: string): Promise<string[]> {
  const all = new Map<string, number[]>()
  const note = async (what: string, script: string) =>
    all.set(what, [...(all.get(what) ?? []), await view.evaluate<number>(script)])
  await view.cdp('Page.addScriptToEvaluateOnNewDocument', { source: WATCH })
  await view.cdp('Network.enable')
  await view.cdp('Network.emulateNetworkConditions', LINE)
  for (let round = 0; round < ROUNDS; round++) {
    await view.cdp('Network.clearBrowserCache')
    for (const what of ['first visit', 'opened again']) {
      await view.navigate(origin)
      await note(what, 'window.rowsPainted')
    }
    for (const [what, [act, isDone]] of Object.entries(STEPS)) {
      await view.navigate(origin)
      await view.evaluate('window.rowsPainted')
      await note(what, `(${act}, ${paintWhere(isDone)})`)
    }
  }
  return [...all].map(([what, ms]) => `| ${what} | ${median(ms).toFixed(0)} | ${Math.max(...ms).toFixed(0)} |`)
}

/** Exports, reads and imports a file. Returns the rows of a table, and the longest task. */
async function moved(view: Bun.WebView, rows: number) {
  const folder = temporaryFile('page-file')
  mkdirSync(folder)
  const table: string[] = []
  let most = 0
  async function timed(what: string, start: () => Promise<unknown>, isDone: () => Promise<unknown>) {
    const from = performance.now()
    await start()
    await isDone()
    const longest = await view.evaluate<number>('Math.max(0, ...window.longTasks.splice(0))')
    most = Math.max(most, longest)
    table.push(`| ${what} | ${((performance.now() - from) / 1000).toFixed(1)} | ${longest.toFixed(0)} |`)
  }
  await view.evaluate(WATCH_TASKS)
  await view.cdp('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder })
  const exported = join(folder, 'animals.csv')
  // The browser creates an empty file before it writes the rows.
  const isWhole = () => existsSync(exported) && readFileSync(exported, 'utf8').split('\n').length === rows + 2
  await timed(
    'export',
    () => view.evaluate(press('Export')),
    () => until('the file is complete', isWhole, WAIT),
  )
  const lines = Array.from({ length: rows }, (_, n) => `Luna ${n},${n % 1000},${n % 3 ? '' : 'sold'}\n`)
  const file = join(folder, 'pets.csv')
  await Bun.write(file, `name,categoryId,status\n${lines.join('')}`)
  await view.evaluate(press('Import'))
  const expression = `document.querySelector('#import-file')`
  await isSo(view, expression)
  const { result } = await view.cdp<{ result: { objectId: string } }>('Runtime.evaluate', { expression })
  const all = rows.toLocaleString('en-GB')
  const choose = () => view.cdp('DOM.setFileInputFiles', { objectId: result.objectId, files: [file] })
  await timed('read for the import', choose, () => isSo(view, button(`Add ${all}`)))
  const add = () => view.evaluate(press(`Add ${all}`))
  await timed('import', add, () => isSo(view, `document.body.innerText.includes('${all} added.')`))
  return { table, most }
}

export const main = experiment({
  name: 'page',
  title: 'The page with a large store, a slow connection and a large file',
  description: 'Measures the page at / in a browser.',
  options: { pets: ['pets in the store', 999_999], rows: ['rows of the imported file', 100_000] },
  async run({ pets, rows }) {
    const painted = await onPage(pets, paints)
    print(painted.join('\n'))
    const { table, most } = await onPage(rows, (view) => moved(view, rows))
    const text = `A store of ${pets} pets, on a connection with 150 ms and 1.6 Mbit/s. Milliseconds until the rows are painted, in ${ROUNDS} rounds:

| | median | slowest |
|---|---|---|
${painted.join('\n')}

A file of ${rows} rows, on a fast connection. People can notice a task that takes more than ${TASK_MS_MAX} ms:

| | seconds | longest task, ms |
|---|---|---|
${table.join('\n')}`
    return { text, passed: most < 2 * TASK_MS_MAX }
  },
})
