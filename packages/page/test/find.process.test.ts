// Finding animals on the page at `/`: the list narrows as one types, a scanner's digits and Enter open what they name, ids are exact.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { openPage } from '../../../test/support/browser.ts'
import {
  addPets,
  firstRows,
  focusedName,
  listedIds,
  openEachTest,
  openSignedIn,
  tabTo,
  untilHeading,
} from '../../../test/support/console.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { PAGE_SIZE } from '../src/list/page-sizes.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

let service: Service
let page: Page
const { addNamed, alert, dialog, go, hold, press, said, type } = openEachTest((opened) => {
  ;({ service, page } = opened)
})

const addAnimals = (count: number) => addPets(service, count, 'available', 'sold')
const browserOf = () => page.context().browser() as Browser
const heading = (name: string) => untilHeading(page, name)

test('a scanner types an id and Enter, anywhere: the animal opens, and then the next one, with nothing lost', async () => {
  await addAnimals(45)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  await type('37')
  await press('Enter')
  await heading('Pet 37')
  await type('12')
  await press('Enter')
  await heading('Pet 12')
  await press('Enter')
  await page.goBack()
  await heading('Pet 37')
  await page.getByRole('link', { name: 'Activity' }).click()
  await heading('Activity')

  // What is scanned while the one before is still looked up takes its place.
  const first = (url: URL) => url.searchParams.get('petId') === '5'
  const release = await hold(first)
  const asked = page.waitForRequest((request) => first(new URL(request.url())))
  await type('5')
  await press('Enter')
  await asked
  const answered = page.waitForResponse((response) => first(new URL(response.url())))
  await type('6')
  await press('Enter')
  await heading('Pet 6')
  release()
  await answered
  await type('4321')
  await press('Enter')
  await alert().getByText('Nothing was found for “4321”.').waitFor()
  await heading('Pet 6')
  await type('8')
  await press('Enter')
  await heading('Pet 8')
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.getByText(firstRows()).waitFor()
  expect(await page.getByLabel('Search').inputValue()).toBe('')
})

test('a record that Enter has opened stays open, although the list was still to be narrowed, and the next frame comes late', async () => {
  await addNamed('Luna')
  await openSignedIn(page, service.key)
  await press(SHORTCUTS.search.key)
  await type('l')
  await page.getByText('1 animal', { exact: true }).waitFor()
  await page.evaluate(LATE)
  await type('u')
  await type('n')
  await press('Enter')
  await heading('Luna')
  await page.waitForFunction('narrowing === 0')
  await heading('Luna')
})

/** What the search sends behind another comes a second later, and what waits for a frame after that. `narrowing`: how many are to be sent. */
const LATE = `{
  const [later, never, waiting] = [setTimeout, clearTimeout, new Set()]
  const end = (timer) => { if (waiting.delete(timer)) window.narrowing = waiting.size }
  window.narrowing = 0
  window.setTimeout = (act, ms, ...values) => {
    if (!(ms > 50 && ms <= 250)) return later(act, ms === 35 ? 3000 : ms, ...values)
    const timer = later(() => { act(); later(() => end(timer)) }, 1000)
    window.narrowing = waiting.add(timer).size
    return timer
  }
  window.clearTimeout = (timer) => { never(timer); end(timer) }
  const frame = requestAnimationFrame
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') window.requestAnimationFrame = (act) => later(() => frame(act), 3000)
  }, true)
}`

test('a word and Enter opens the first hit, the arrow goes to the rows, Escape clears; nothing offers to add a number', async () => {
  await addNamed('Luna', 'Old Biscuit', 'Bismarck')
  await openSignedIn(page, service.key)
  await press(SHORTCUTS.search.key)
  await type('bis')
  await press('Enter')
  await heading('Old Biscuit')
  await page.goBack()
  await page.getByText('2 animals').waitFor()
  await press(SHORTCUTS.search.key)
  await press('ArrowDown')
  expect(await focusedName(page)).toBe('Old Biscuit')
  await press(SHORTCUTS.search.key)
  await press('Escape')
  await page.getByText('3 animals').waitFor()
  for (const number of ['3', '4321']) {
    await page.getByLabel('Search').fill(number)
    await page.getByText(`No name with “${number}” was found.`).waitFor()
    expect(await page.getByRole('button', { name: /^Add “/ }).count()).toBe(0)
  }
  await page.getByLabel('Search').fill('99999999999999999999')
  await press('Enter')
  await alert().getByText('Nothing was found for “99999999999999999999”.').waitFor()
})

test('Enter, however often, sells once and takes nothing back: the box has the focus, and the message a receipt', async () => {
  await addPets(service, 3, 'available', 'available')
  await openSignedIn(page, service.key)
  const enters = async () => {
    await press('Enter')
    await dialog().waitFor()
    await press('Enter')
    await dialog().waitFor({ state: 'hidden' })
    expect(await focusedName(page)).toBe('Search')
    await page.getByRole('button', { name: 'Receipt' }).waitFor()
    for (let again = 0; again < 3; again++) await press('Enter')
  }
  // From a row, from what an id has found, and from the animal's own page.
  await tabTo(page, 'Sell Pet 1')
  await enters()
  await page.getByLabel('Search').fill('2')
  const found = page.getByRole('region', { name: 'Pet 2' }).getByRole('button', { name: 'Sell' })
  await found.focus()
  await enters()
  await heading('Pet 2')
  await type('3')
  await press('Enter')
  await heading('Pet 3')
  await press('Enter')
  await tabTo(page, 'Sell Pet 3')
  await enters()
  await page.getByRole('button', { name: 'Take back Pet 3' }).waitFor()
  const events: { type: string }[] = JSON.parse((await service.get('/store/events?limit=100')).text)
  expect(events.slice(3).map(({ type }) => type)).toEqual(Array(3).fill(['order.placed', 'order.completed']).flat())
})

test('a screen reader hears what was found, the filter and the order, and the focus comes back to the row or its neighbour', async () => {
  const sold = PAGE_SIZE + 2
  await addAnimals(2 * sold + 1)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  /** What the accessibility tree has as the status. */
  const hears = (sentence: string) => page.getByRole('status').getByText(sentence, { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Sold' }).check()
  await hears(`Animals: 1 to ${PAGE_SIZE} out of ${sold}, Sold, Oldest first`)
  await page.getByLabel('Sort').selectOption('Newest first')
  await hears(`Animals: 1 to ${PAGE_SIZE} out of ${sold}, Sold, Newest first`)
  await page.getByRole('button', { name: 'Next' }).click()
  await hears(`Animals: ${PAGE_SIZE + 1} to ${sold} out of ${sold}, Sold, Newest first, page 2`)
  await page.getByLabel('Search').fill('pet 3')
  await hears('Animals: 1 to 5 out of 5, Sold, “pet 3”, Newest first')
  await page.getByLabel('Search').fill('nobody')
  await hears('Animals: none found, Sold, “nobody”, Newest first')
  await page.getByRole('link', { name: 'Orders' }).click()
  await hears(`Orders: none found, ${labelOf('pending')}, Newest first`)
  await page.getByRole('link', { name: 'Animals' }).click()
  await hears(`Animals: 1 to ${PAGE_SIZE} out of ${2 * sold + 1}, All, Newest first`)

  const opens = async (name: string) => {
    await go(name)
    await heading(name)
    expect(await focusedName(page)).toBe(name)
  }
  const focuses = async (name: string) => {
    await until(`${name} has the focus`, async () => (await focusedName(page)) === name)
    expect(await page.getByRole('main').ariaSnapshot()).toContain(`link "${name}"`)
  }
  await opens('Pet 41')
  await page.goBack()
  await focuses('Pet 41')
  await opens('Pet 41')
  await go('Delete')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await hears('Pet 41 is deleted.')
  await focuses('Pet 40')
})

test('a search narrows as one types, marks what it found, stays in the address, and offers to add what is not there', async () => {
  await addNamed('Old Biscuit', 'Luna', 'Bismarck', 'Lulu', 'Müller')
  await page.clock.install()
  await openSignedIn(page, service.key)
  await page.getByText('5 animals').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('search') ?? ''))
  await press(SHORTCUTS.search.key)
  // By the page's own clock: however slow the machine is, nobody pauses between the letters.
  await page.clock.pauseAt(Date.now() + 10_000)
  for (const letter of 'bis') {
    await page.keyboard.type(letter)
    await page.clock.runFor(100)
  }
  await page.clock.resume()
  // The first letter finds the same two.
  await page.locator('.rows mark').getByText('Bis', { exact: true }).nth(1).waitFor()
  expect(await page.locator('.rows mark').allTextContents()).toEqual(['Bis', 'Bis'])
  // At once, and then at most every 250 ms.
  expect(asked.filter(Boolean)).toEqual(['b', 'bis'])
  await page.keyboard.type(' old')
  // A part of the word finds the same animal.
  await page.waitForURL(`${service.origin}/?search=bis+old`)
  await page.getByText('1 animal', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('1 animal', { exact: true }).waitFor()
  expect(await page.getByLabel('Search').inputValue()).toBe('bis old')
  await page.goBack()
  await page.getByText('5 animals').waitFor()
  expect(await page.getByLabel('Search').inputValue()).toBe('')

  await page.getByLabel('Search').fill('muller')
  await page.locator('mark').getByText('Müller').waitFor()
  await page.getByLabel('Search').fill('Rex')
  await page.getByText('No animal with “Rex” was found.').waitFor()
  await page.getByRole('button', { name: 'Add “Rex”' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('Rex')
  await press('Escape')
  await page.getByLabel('Search').fill('!!')
  await alert().getByText('“!!” cannot be searched for.').waitFor()
  await page.getByLabel('Search').fill('3')
  await page.getByRole('region', { name: 'Bismarck' }).getByRole('button', { name: 'Sell' }).click()
  await dialog().waitFor()
  await press('Enter')
  await said('Bismarck is sold.')
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByLabel('Search').fill('1')
  await page.getByRole('region', { name: 'Bismarck' }).getByText('Order 1').waitFor()
})

test('while a search narrows, the focus stays: on a row that stays, or on the link of the one that takes its place', async () => {
  await addAnimals(PAGE_SIZE)
  await openSignedIn(page, service.key)
  for (const [from, to] of [
    ['Pet 7', 'Pet 7'],
    ['Pet 3', 'Pet 7'],
    ['Copy id 3', 'Pet 7'],
    ['Reserve Pet 3', 'Reserve Pet 7'],
  ] as const) {
    await page.getByLabel('Search').fill('pet')
    await page.locator('mark').first().waitFor()
    await page
      .getByText(firstRows())
      .or(page.getByText(`${PAGE_SIZE} animals`))
      .waitFor()
    const narrow = (url: URL) => url.searchParams.get('search') === 'pet 7'
    const release = await hold(narrow)
    const asked = page.waitForRequest((request) => narrow(new URL(request.url())))
    await page.getByLabel('Search').fill('pet 7')
    await asked
    await tabTo(page, from)
    release()
    await page.getByText('1 animal', { exact: true }).waitFor()
    expect(await focusedName(page)).toBe(to)
    await page.unroute(narrow)
  }
  await go('Pet 7')
  await page.getByRole('heading', { name: 'Pet 7', exact: true }).waitFor()
})

test('what is typed as soon as another view is there stays', async () => {
  await addAnimals(2)
  await openSignedIn(page, service.key)
  await page.getByLabel('Search').fill('pet')
  await page.waitForURL(`${service.origin}/?search=pet`)
  // Between the page's answer to the click and the next picture on the screen.
  await page.evaluate(`(async () => {
    [...document.querySelectorAll('a')].find(({ textContent }) => textContent === 'Orders').click()
    for (let turn = 0; turn < 5; turn++) await undefined
    const box = document.querySelector('search input')
    box.value += '1'
    box.dispatchEvent(new InputEvent('input', { bubbles: true }))
  })()`)
  await page.waitForURL(`${service.origin}/?view=orders&status=pending&search=1`)
  expect(await page.getByLabel('Search').inputValue()).toBe('1')
})

test('ids and categories beyond 2^53 are shown, looked up and copied exactly', async () => {
  const address = temporaryFile('petstore.db')
  const service = await startService({ address })
  const database = new Database(address)
  const ids = ['9007199254740993', '9223372036854775806', '9223372036854775807']
  for (const id of ids) {
    database.run(`INSERT INTO pets (id, name, category_id, status, created_at, created_by)
                  VALUES (${id}, 'Pet ${id}', -9223372036854775808, 'sold', 0, 1)`)
    database.run(`INSERT INTO events (type, at, key_id, pet_id, pet_status, pet)
                  SELECT 'pet.added', 0, 1, id, status, json_object('name', name, 'categoryId', category_id)
                  FROM pets WHERE id = ${id}`)
  }
  database.close()
  const { page, complaints, close } = await openPage(browserOf(), `${service.origin}/`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openSignedIn(page, service.key)
  await page.getByText('3 animals').waitFor()
  expect(await listedIds(page)).toEqual(ids)
  expect(await page.getByText('-9223372036854775808', { exact: true }).count()).toBe(3)

  await tabTo(page, 'Search')
  await page.keyboard.type('9223372036854775807')
  await page.getByRole('region', { name: 'Pet 9223372036854775807' }).waitFor()
  await tabTo(page, 'Copy id 9223372036854775807')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('is copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('9223372036854775807')
  expect(complaints).toEqual([])
  await close()
  await service.stop()
})
