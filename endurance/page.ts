// The page at `/` with a large store, in a browser on a slow line: how long until the first rows are painted, and until they are after what
// people do most; and a large file that is imported and exported, with the longest task that kept the page from answering.
//
//   npm run endurance -- page --report

import type { Browser, Page } from 'playwright-core'
import { median } from '../bench/figures.ts'
import { index } from '../bench/seed.ts'
import { PAGE_SIZE } from '../packages/page/src/list/list-position.ts'
import { openPage, startBrowser } from '../test/support/browser.ts'
import { openSignedIn } from '../test/support/console.ts'
import { experiment, print } from './command.ts'
import { newStore, startServer } from './load/stores.ts'
import { type Moved, moveFile } from './page-file.ts'

const ROUNDS = 5
/** As a task that browsers call long. */
const TASK_MS_MAX = 50
/** A phone in a bad place: Lighthouse's "slow 4G". */
const LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: (1_600 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
}
const ROWS = '.rows tbody tr'

interface Step {
  act: (page: Page) => Promise<unknown>
  /** In the page: its rows are there. */
  isDone: string
}

/** What people do most. */
const STEPS: Record<string, Step> = {
  'the next page': {
    act: (page) => page.getByRole('button', { name: 'Next' }).click(),
    isDone: `document.querySelector('.pager .numbers').textContent.startsWith('${PAGE_SIZE + 1} – ')`,
  },
  'the last page': {
    act: (page) => page.getByRole('button', { name: 'Last' }).click(),
    isDone: `document.querySelector('.pager-steps button:last-child').ariaDisabled === 'true'`,
  },
  'one status': {
    act: (page) => page.getByRole('radio', { name: 'Sold' }).check(),
    isDone: `document.querySelector('${ROWS}:first-child .status-sold')`,
  },
  'a search of two words': {
    act: (page) => page.getByLabel('Search').fill('lun 7'),
    isDone: `document.querySelector('${ROWS} mark')`,
  },
}

/** In the page: milliseconds to the paint after which it is so, from what was done last, or else from the start of the navigation. */
function paintWhere(isDone: string): string {
  return `new Promise((resolve) => {
    const look = () => (${isDone})
      ? setTimeout(() => resolve(performance.now() - (window.actedAt ?? 0)))
      : requestAnimationFrame(look)
    requestAnimationFrame(look)
  })`
}

const WATCH = `
  for (const type of ['click', 'input']) addEventListener(type, () => { window.actedAt ??= performance.now() }, true)
  window.rowsPainted = ${paintWhere(`document.querySelector('${ROWS}')`)}`

/** Milliseconds of each round, by what was done. */
async function paints(browser: Browser, origin: string, key: string): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>()
  const note = (what: string, ms: number) => all.set(what, [...(all.get(what) ?? []), ms])
  const { page, close } = await openPage(browser, `${origin}/`)
  await openSignedIn(page, key)
  await page.addInitScript(WATCH)
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', LINE)
  page.setDefaultTimeout(60_000)
  for (let round = 0; round < ROUNDS; round++) {
    await line.send('Network.clearBrowserCache')
    for (const what of ['first visit', 'opened again']) {
      await page.goto(`${origin}/`)
      note(what, await page.evaluate('window.rowsPainted'))
    }
    for (const [what, { act, isDone }] of Object.entries(STEPS)) {
      await page.goto(`${origin}/`)
      await page.evaluate('window.rowsPainted')
      const painted = page.evaluate<number>(paintWhere(isDone))
      await act(page)
      note(what, await painted)
    }
  }
  await close()
  return all
}

async function withService<Result>(pets: number, use: (origin: string, key: string) => Promise<Result>) {
  const store = await newStore('sqlite', pets)
  index(store.database)
  const server = await startServer(store)
  try {
    return await use(new URL(server.url).origin, store.key)
  } finally {
    await server.stop()
    await store.remove()
  }
}

export const main = experiment({
  name: 'page',
  title: 'The page: a large store, a slow line, a large file',
  description: 'Measures the page at / in a browser.',
  options: { pets: ['pets of the store', 999_999], rows: ['rows of the file', 100_000] },
  async run({ pets, rows }) {
    const browser = await startBrowser()
    const painted = await withService(pets, (origin, key) => paints(browser, origin, key))
    const table = [...painted].map(
      ([what, ms]) => `| ${what} | ${median(ms).toFixed(0)} | ${Math.max(...ms).toFixed(0)} |`,
    )
    print(table.join('\n'))
    const moved = await withService(rows, async (origin, key) => {
      const all: Moved[] = []
      for await (const one of moveFile(origin, key, rows)) {
        all.push(one)
        print(lineOf(one))
      }
      return all
    })
    await browser.close()
    const text = `A store of ${pets} pets, on a line with 150 ms and 1.6 Mbit/s. Milliseconds until the rows are painted, of ${ROUNDS} rounds:

| | median | slowest |
|---|---|---|
${table.join('\n')}

A file of ${rows} rows, without a slow line. A task that lasts more than ${TASK_MS_MAX} ms is one that a person may feel:

| | seconds | longest task, ms |
|---|---|---|
${moved.map(lineOf).join('\n')}`
    return { text, passed: moved.every(({ longest }) => longest < 2 * TASK_MS_MAX) }
  },
})

function lineOf({ what, seconds, longest }: Moved): string {
  return `| ${what} | ${seconds.toFixed(1)} | ${longest.toFixed(0)} |`
}
