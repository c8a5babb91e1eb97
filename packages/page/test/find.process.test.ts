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
import { PAGE_SIZE } from '../src/list/list-position.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

let service: Service
let page: Page
const { addNamed, alert, dialog, go, hold, press, said, type } = openEachTest((opened) => {
  ;({ service, page } = opened)
})

const heading = (name: string) => untilHeading(page, name)

test('a scanner types an id and Enter, anywhere: the animal opens, and then the next one, with nothing lost', async () => {
  await addPets(service, 45, 'available', 'sold')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  for (const [scanned, opened] of [
    ['37', 'Pet 37'],
    ['12', 'Pet 12'],
  ] as const) {
    await type(scanned)
    await press('Enter')
    await heading(opened)
  }
  await page.goBack()
  await heading('Pet 37')
  await page.goto(`${service.origin}/?order=1`)
  await page.getByRole('alert').waitFor()

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
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.getByText(firstRows()).waitFor()
  expect(await page.getByLabel('Search').inputValue()).toBe('')
  // As people write an id.
  for (const written of ['#8', 'Id 8']) {
    await page.getByLabel('Search').fill(written)
    await page.getByRole('region', { name: 'Pet 8' }).waitFor()
    await page.waitForURL(`${service.origin}/?search=8`)
    await press('Enter')
    await heading('Pet 8')
    await page.goto(`${service.origin}/`)
  }
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
    await type(letter)
    await page.clock.runFor(100)
  }
  await page.clock.resume()
  // The first letter finds the same two.
  await page.locator('.rows mark').getByText('Bis', { exact: true }).nth(1).waitFor()
  // At once, and then at most every 250 ms.
  expect(asked.filter(Boolean)).toEqual(['b', 'bis'])
  await type(' old')
  await page.waitForURL(`${service.origin}/?search=bis+old`)
  await page.reload()
  await page.getByText('1 animal', { exact: true }).waitFor()
  expect(await page.getByLabel('Search').inputValue()).toBe('bis old')
  await page.goBack()
  await page.getByText('5 animals').waitFor()
  expect(await page.getByLabel('Search').inputValue()).toBe('')

  // A word and Enter opens the first that is found, the arrow goes to the rows, Escape clears.
  await press(SHORTCUTS.search.key)
  await type('bis')
  await press('Enter')
  await heading('Old Biscuit')
  await page.goBack()
  await page.getByText('2 animals').waitFor()
  await press(SHORTCUTS.search.key)
  await press('ArrowDown')
  expect(await focusedName(page)).toBe('Old Biscuit')
  // A search that the service refuses shows no rows of the one before.
  await page.getByLabel('Search').fill('!!')
  await alert().getByText('“!!” cannot be searched for.').waitFor()
  expect(await page.locator('.rows').count()).toBe(0)
  await press(SHORTCUTS.search.key)
  await press('Escape')
  await page.getByText('5 animals').waitFor()
  await page.getByLabel('Search').fill('4321')
  await page.getByText('No name has a word that begins with “4321”.').waitFor()
  expect(await page.getByRole('button', { name: /^Add “/ }).count()).toBe(0)
  await page.getByLabel('Search').fill('99999999999999999999')
  await press('Enter')
  await alert().getByText('Nothing was found for “99999999999999999999”.').waitFor()
  await page.getByLabel('Search').fill('Rex')
  await page.getByText('No name has a word that begins with “Rex”.').waitFor()
  await page.getByRole('button', { name: 'Add “Rex”' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('Rex')
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
  await page.getByRole('region', { name: 'Pet 2' }).getByRole('button', { name: 'Sell' }).focus()
  await enters()
  await heading('Pet 2')
  await type('3')
  await press('Enter')
  await heading('Pet 3')
  await tabTo(page, 'Sell Pet 3')
  await enters()
  await page.getByRole('button', { name: 'Take back Pet 3' }).waitFor()
  const events: { type: string }[] = JSON.parse((await service.get('/store/events?limit=100')).text)
  expect(events.slice(3).map(({ type }) => type)).toEqual(Array(3).fill(['order.placed', 'order.completed']).flat())
  await page.goto(`${service.origin}/?view=orders&search=1`)
  await page.getByRole('region', { name: 'Pet 1' }).getByText('Sold').waitFor()
})

test('a screen reader hears what was found, and the focus comes back to the row or its neighbour', async () => {
  const total = PAGE_SIZE + 2
  await addPets(service, total, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await said(`Animals: ${PAGE_SIZE + 1} to ${total} out of ${total}, All, Oldest first, page 2`)
  const [name, neighbour] = [`Pet ${total - 1}`, `Pet ${total}`]
  const focuses = (name: string) => until(`${name} has the focus`, async () => (await focusedName(page)) === name)
  const opens = async () => {
    await go(name)
    await heading(name)
    expect(await focusedName(page)).toBe(name)
  }
  await opens()
  await page.goBack()
  await focuses(name)
  await opens()
  await go('Delete')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await said(`${name} is deleted.`)
  await focuses(neighbour)
})

test('while a search narrows, the focus stays: on a row that stays, or on the link of the one that takes its place', async () => {
  await addPets(service, PAGE_SIZE, 'available', 'available')
  await openSignedIn(page, service.key)
  for (const [from, to] of [
    ['Pet 7', 'Pet 7'],
    ['Copy id 3', 'Pet 7'],
    ['Reserve Pet 3', 'Reserve Pet 7'],
  ] as const) {
    await page.getByLabel('Search').fill('pet')
    await page.locator('mark').first().waitFor()
    await page.getByText(`${PAGE_SIZE} animals`).waitFor()
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
})

test('what is typed as soon as another view is there stays', async () => {
  await addPets(service, 2, 'available', 'available')
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
  const browser = page.context().browser() as Browser
  const { page: own, complaints, close } = await openPage(browser, `${service.origin}/`)
  await own.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openSignedIn(own, service.key)
  await own.getByText('3 animals').waitFor()
  expect(await listedIds(own)).toEqual(ids)
  expect(await own.getByText('-9223372036854775808', { exact: true }).count()).toBe(3)
  await own.getByLabel('Search').fill('9223372036854775807')
  await own.getByRole('region', { name: 'Pet 9223372036854775807' }).waitFor()
  await tabTo(own, 'Copy id 9223372036854775807')
  await own.keyboard.press('Enter')
  await own.getByRole('status').getByText('is copied').waitFor()
  expect(await own.evaluate('navigator.clipboard.readText()')).toBe('9223372036854775807')
  expect(complaints).toEqual([])
  await close()
  await service.stop()
})
