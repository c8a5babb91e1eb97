// The lists at `/` in a browser: addresses, failures, rows that stay in place, selected rows, searches, scans, shortcuts and the focus.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  addPets,
  firstRows,
  focusedName,
  listedIds,
  openEachTest,
  openSignedIn,
  refusal,
  rowsOn,
  signOut,
  THREE_PAGES,
  tabTo,
  untilHeading,
} from '../../../test/support/console.ts'
import type { Service } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { dayOf, spanOf } from '../../files/src/local-time.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { PAGE_SIZE } from '../src/list/list-position.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

const RESERVED = labelOf('pending')

let service: Service
let page: Page
/** Another till. */
let client: PetstoreClient
const { addNamed, alert, animals, button, dialog, go, hold, openFollowing, press, row, said, scan, type } =
  openEachTest((opened) => {
    ;({ service, page, client } = opened)
    service.clock.at = Date.now()
  })
const radio = (name: string) => page.getByRole('radio', { name })
const link = (name: string) => page.getByRole('link', { name, exact: true })
const heading = (name: string) => untilHeading(page, name)
const search = () => page.getByLabel('Search')

test('the address holds the filter, the order and the page: for a reload, Back and Forward', async () => {
  const total = 2 * THREE_PAGES
  await addPets(service, total, 'available', 'sold')
  await openSignedIn(page, service.key)
  /** A page of sold animals that starts with this id. */
  const shows = async (number: number, first: number) => {
    await page.getByText(rowsOn(number, THREE_PAGES)).waitFor()
    // Both sorts have the same text, and the rows follow.
    await until(`the list starts with ${first}`, async () => (await listedIds(page))[0] === String(first))
  }
  await radio('Sold').check()
  await page.getByLabel('Sort').selectOption('Newest first')
  await shows(1, total)
  expect(page.url()).toBe(`${service.origin}/?status=sold&sort=newest`)
  await button('Next').click()
  await shows(2, total - 2 * PAGE_SIZE)
  await page.reload()
  await shows(2, total - 2 * PAGE_SIZE)
  await page.goBack()
  await shows(1, total)
  await page.goForward()
  await shows(2, total - 2 * PAGE_SIZE)
  // Each list keeps its sort.
  await link('Orders').click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await link('Animals').click()
  await page.waitForURL(`${service.origin}/?sort=newest`)

  await page.goto(`${service.origin}/?cursor=nonsense&page=3`)
  await alert().getByText('This link does not work. It may be incomplete or belong to another store.').waitFor()
  await button('First page').click()
  await page.waitForURL(`${service.origin}/`)
  await page.goto(`${service.origin}/?view=sales&day=2026-13-45`)
  await alert().getByText('This link does not work. Not valid, so ignored: “day=2026-13-45”.').waitFor()
  await link('Animals').click()
  await page.getByText(firstRows()).waitFor()
  expect(await alert().count()).toBe(0)
  await page.goto(`${service.origin}/animals/420`)
  await alert().getByText('No animal has the id 420.').waitFor()
})

test('a list that cannot load keeps its rows, explains why, and continues once the service responds', async () => {
  await addPets(service, THREE_PAGES, 'available', 'sold')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  const refused = refusal({ code: 'rate_limited', message: 'Too many requests.' })
  await page.route('**/v1/pets?**', (route) => route.fulfill(refused))
  await button('Next').click()
  await alert().getByText('Could not load page 2. Too many requests.').waitFor()
  expect(await alert().textContent()).toMatch(/Next try in 3[0-9]{3} s\./)
  expect(await listedIds(page)).toHaveLength(PAGE_SIZE)
  await button('Stay on page 1').click()
  await alert().getByText('This list may be out of date.').waitFor()
  // A failure does not look like an empty list.
  await radio(RESERVED).check()
  await alert().getByText(`Could not load ${RESERVED.toLowerCase()} animals.`).waitFor()
  expect(await page.getByText(/^No .* animals/).count()).toBe(0)
  // The request is sent before the service responds again, because a retry of the page would remove the button.
  const retried = page.waitForRequest('**/v1/pets?**')
  await button('Try now').click()
  await retried
  await page.unroute('**/v1/pets?**')
  await radio('Sold').check()
  await said('Connected again.')
  await radio(RESERVED).check()
  await page.getByText(`No ${RESERVED.toLowerCase()} animals.`).waitFor()
})

test('orders have their own list, in which today’s ends follow each change; a read-only key changes nothing', async () => {
  await addNamed('Rex', 'Mia', 'Tom')
  await client.completeOrder((await client.placeOrder({ petId: 1n, reference: 'receipt 7' })).id)
  const midnight = spanOf(dayOf(Date.now())).to
  await client.placeOrder({ petId: 2n, expiresAt: midnight })
  await openFollowing()
  await link('Orders').click()
  await row('Mia').getByText(RESERVED, { exact: true }).waitFor()
  expect(await page.title()).toBe('Orders · Petstore')
  expect(page.url()).toBe(`${service.origin}/?view=orders&status=pending`)
  await page.getByText('Reservations ending today').click()
  await page.getByText('None.').waitFor()
  const lists: string[] = []
  page.on('request', (request) => request.url().includes('status=pending&limit=100') && lists.push(request.url()))
  const expiresAt = new Date((Date.now() + Date.parse(midnight)) / 2).toISOString()
  const { id } = await client.placeOrder({ petId: 3n, reference: 'Bob', expiresAt })
  await page.locator('.ending tbody tr').filter({ hasText: 'for Bob' }).getByText('until').waitFor()
  await client.cancelOrder(id)
  await page.getByText('None.').waitFor()
  // The page read only the changed order.
  expect(lists).toEqual([])
  await radio('Sold').check()
  await row('Rex').getByText('Id 1 for receipt 7').waitFor()
  await button('Take back Rex').waitFor()
  await signOut(page)

  await openSignedIn(page, await service.addKey({ readOnly: true }))
  await page.getByText('Read-only', { exact: true }).waitFor()
  await row('Tom').waitFor()
  expect(await page.getByRole('button', { name: /Add|Reserve|Sell|Release|Take back/ }).count()).toBe(0)
  await press(SHORTCUTS.add.key)
  await link('Orders').click()
  await row('Mia').waitFor()
  expect(await page.getByRole('button', { name: /Sell|Release/ }).count()).toBe(0)
  expect(await dialog().count()).toBe(0)
})

/** Replaces texts as the translators of browsers do. */
const TRANSLATE = `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (texts.nextNode()) found.push(texts.currentNode)
  for (const text of found) {
    if (!text.data.trim() || text.parentElement.closest('[translate="no"], font, script')) continue
    const font = document.createElement('font')
    font.textContent = text.data
    text.replaceWith(font)
  }
}`

test('a translated page follows changes by another till and by its own', async () => {
  await addNamed('Rex', 'Mia')
  await openFollowing()
  await row('Rex').waitFor()
  await page.evaluate(TRANSLATE)
  expect(await page.locator('font').count()).toBeGreaterThan(10)
  const { id } = await client.placeOrder({ petId: 1n, reference: 'Anna' })
  await row('Rex').getByText(RESERVED, { exact: true }).waitFor()
  await row('Rex').getByText('For Anna').waitFor()
  await button('Release Rex').waitFor()
  await radio('All 2').waitFor()
  await page.evaluate(TRANSLATE)
  await client.completeOrder(id)
  await row('Rex').getByText('Sold', { exact: true }).waitFor()
  await go('Sell Mia')
  await page.evaluate(TRANSLATE)
  await press('Enter')
  await said('Mia is sold.')
  await row('Mia').getByText('Sold', { exact: true }).waitFor()
  await link('Sales').click()
  await page.evaluate(TRANSLATE)
  await client.returnOrder(id)
  await page.locator('.sales').getByText('Taken back').waitFor()
})

test('rows are selected by pointer or by keys; rejected ones stay selected with their reason', async () => {
  const total = PAGE_SIZE + 2
  const bar = page.getByRole('region', { name: 'Selected rows' })
  const choice = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
  await addPets(service, total, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows(total)).waitFor()
  await button('Select').click()
  await choice(`All ${PAGE_SIZE} on this page`).check()
  await choice(`Pet ${PAGE_SIZE}`).uncheck()
  expect(await page.evaluate("document.querySelector('.rows thead input').indeterminate")).toBe(true)
  await bar.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByText('This cannot be undone. Animals with orders are kept.').waitFor()
  expect(await focusedName(page)).not.toBe('Delete')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await said(`${PAGE_SIZE - 1} deleted.`)
  await bar.waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.id')).toBe('list')
  expect((await animals()).map(({ id }) => Number(id))).toEqual([PAGE_SIZE, PAGE_SIZE + 1, PAGE_SIZE + 2])
  // By keys: one reserved row and one available row.
  await client.placeOrder({ petId: BigInt(PAGE_SIZE) })
  await row(`Pet ${PAGE_SIZE}`).getByText(RESERVED, { exact: true }).waitFor()
  for (let step = 0; step < 2; step++) {
    await press(SHORTCUTS.nextRow.key)
    await press(SHORTCUTS.choose.key)
  }
  await bar.getByText('2 selected').waitFor()
  await go('Release')
  await dialog().waitFor()
  await press('Enter')
  await bar.getByText(`1 released. 1 not released because it is not reserved: Pet ${PAGE_SIZE + 1}`).waitFor()
  const downloading = page.waitForEvent('download')
  await bar.getByRole('button', { name: 'Export' }).click()
  expect(await Bun.file(await (await downloading).path()).text()).toContain(`\n${PAGE_SIZE + 1},`)
  await said('1 row was exported.')
  await press(SHORTCUTS.choose.key)
  await press('Escape')
  await bar.waitFor({ state: 'detached' })
})

test('a scan opens the animal from any view, and replaces a scan that is still being looked up', async () => {
  await addPets(service, 45, 'available', 'sold')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  for (const id of ['37', '12']) {
    await type(id)
    await press('Enter')
    await heading(`Pet ${id}`)
  }
  await page.goBack()
  await heading('Pet 37')
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
  await scan('4321')
  await alert().getByText('No animal has the id 4321.').waitFor()
  await heading('Pet 6')
  await scan(`*${service.origin}/?animal=12*`)
  await heading('Pet 12')
  // In a field, and in a dialog.
  await search().fill('Pet 3')
  await scan('*37*')
  await heading('Pet 37')
  expect(await search().inputValue()).toBe('')
  await go('Edit')
  await dialog().getByLabel('Name').focus()
  await scan('12')
  await dialog().getByText('Close this window before you scan a code.').waitFor()
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Pet 37')
  await press('Escape')
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.getByText(firstRows()).waitFor()
  expect(await search().inputValue()).toBe('')
})

test('a record that Enter opened stays open, even if a pending search is due before the next frame', async () => {
  await addNamed('Luna')
  await page.clock.install()
  await openSignedIn(page, service.key)
  await press(SHORTCUTS.search.key)
  await type('l')
  await page.getByText('1 animal', { exact: true }).waitFor()
  await page.clock.pauseAt(Date.now() + 10_000)
  await type('un')
  await press('Enter')
  await page.waitForURL(`${service.origin}/?animal=1`)
  await page.clock.runFor(1)
  await page.clock.resume()
  await heading('Luna')
})

test('a search narrows the list while you type, stays in the address, and offers to add a missing name', async () => {
  await addNamed('Old Biscuit', 'Luna', 'Bismarck', 'Lulu', 'Müller')
  await page.clock.install()
  await openSignedIn(page, service.key)
  await page.getByText('5 animals').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('search') ?? ''))
  await press(SHORTCUTS.search.key)
  // By the page's own clock, so that a slow machine does not pause between letters.
  await page.clock.pauseAt(Date.now() + 10_000)
  for (const letter of 'bis') {
    await type(letter)
    await page.clock.runFor(100)
  }
  await page.clock.resume()
  await page.getByText('2 animals').waitFor()
  // The first letter is not delayed; then there is at most one request per 250 ms.
  expect(asked.filter(Boolean)).toEqual(['b', 'bis'])
  await type(' old')
  await page.waitForURL(`${service.origin}/?search=bis+old`)
  await page.reload()
  await page.getByText('1 animal', { exact: true }).waitFor()
  expect(await search().inputValue()).toBe('bis old')
  await page.goBack()
  await page.getByText('5 animals').waitFor()
  expect(await search().inputValue()).toBe('')
  // A word and Enter opens the first match, the arrow goes to the rows, and Escape clears.
  await press(SHORTCUTS.search.key)
  await type('bis')
  await page.getByText('2 animals').waitFor()
  // The Enter that confirms a word of an input method opens nothing.
  await page.evaluate(`document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))`)
  expect(page.url()).not.toContain('animal=')
  await press('Enter')
  await heading('Old Biscuit')
  await page.goBack()
  await page.getByText('2 animals').waitFor()
  await press(SHORTCUTS.search.key)
  await press('ArrowDown')
  expect(await focusedName(page)).toBe('Old Biscuit')
  await search().fill('!!')
  await alert().getByText('You cannot search for “!!”.').waitFor()
  expect(await page.locator('.rows').count()).toBe(0)
  await press(SHORTCUTS.search.key)
  await press('Escape')
  await page.getByText('5 animals').waitFor()
  await search().fill('Rex')
  await button('Add “Rex”').click()
  expect(await page.getByLabel('Name').inputValue()).toBe('Rex')
  // Text that is typed right after a click on another view, before the next frame, is kept.
  await press('Escape')
  await page.evaluate(`(async () => {
    [...document.querySelectorAll('a')].find(({ textContent }) => textContent === 'Orders').click()
    for (let turn = 0; turn < 5; turn++) await undefined
    const box = document.querySelector('search input')
    box.value += '1'
    box.dispatchEvent(new InputEvent('input', { bubbles: true }))
  })()`)
  await page.waitForURL(`${service.origin}/?view=orders&status=pending&search=1`)
  expect(await search().inputValue()).toBe('1')
})

test('the focus returns to the row that led to a record or to the next row, and stays in place while a search narrows', async () => {
  const total = PAGE_SIZE + 2
  await addPets(service, total, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  await button('Next').click()
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

  await button('Previous').click()
  await page.getByText(firstRows()).waitFor()
  for (const [from, to] of [
    ['Pet 7', 'Pet 7'],
    ['Copy id 3', 'Pet 7'],
    ['Reserve Pet 3', 'Reserve Pet 7'],
  ] as const) {
    await search().fill('pet')
    await page.waitForURL(`${service.origin}/?search=pet`)
    await page.getByText('Pet 3', { exact: true }).first().waitFor()
    const narrow = (url: URL) => url.searchParams.get('search') === 'pet 7'
    const release = await hold(narrow)
    const asked = page.waitForRequest((request) => narrow(new URL(request.url())))
    await search().fill('pet 7')
    await asked
    await tabTo(page, from)
    release()
    await page.getByText('1 animal', { exact: true }).waitFor()
    expect(await focusedName(page)).toBe(to)
    await page.unroute(narrow)
  }
})

test('shortcuts move through rows and pages, leave fields and radio buttons alone, and can be turned off', async () => {
  await addPets(service, THREE_PAGES, 'sold', 'available')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  // A link at the start of the page leads to the list.
  for (let step = 0; step < 12 && (await focusedName(page)) !== 'Skip to the list'; step++) await press('Shift+Tab')
  await press('Enter')
  await press('Tab')
  expect([await focusedName(page), page.url()]).toEqual(['Copy id 1', `${service.origin}/`])
  await press(SHORTCUTS.nextRow.key)
  await press('ArrowDown')
  await press(SHORTCUTS.previousRow.key)
  expect(await focusedName(page)).toBe('Pet 2')
  await go('Next')
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  await press('Enter')
  await page.getByText(rowsOn(3, THREE_PAGES)).waitFor()
  expect(await focusedName(page)).toBe('Next')
  // A new page starts at its top; the head of the table and the pager stay visible.
  expect((await page.locator('.rows').boundingBox())?.y).toBeGreaterThan(-2)
  await press('ArrowLeft')
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  expect((await page.getByRole('columnheader', { name: 'Name' }).boundingBox())?.y).toBeWithin(-1, 1)
  await page.evaluate('scrollTo(0, 0)')
  const next = await button('Next').boundingBox()
  expect((next?.y ?? 0) + (next?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)

  await press(SHORTCUTS.search.key)
  await type('2n')
  expect(await search().inputValue()).toBe('2n')
  await press('Escape')
  await page.getByRole('radio', { name: 'Available' }).click()
  await press('ArrowLeft')
  await page.getByRole('radio', { name: 'All', checked: true }).waitFor()
  // In a select, letters choose an option.
  await page.getByLabel('Sort').focus()
  await press(SHORTCUTS.add.key)
  expect(await dialog().count()).toBe(0)
  await radio('All').focus()
  await press(SHORTCUTS.add.key)
  await dialog().getByLabel('Name').waitFor()
  await press('Escape')
  await press(SHORTCUTS.explain.key)
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await keys.getByLabel('Use keyboard shortcuts').uncheck()
  await keys.getByRole('button', { name: 'Close' }).last().click()
  await keys.waitFor({ state: 'hidden' })
  await press(SHORTCUTS.add.key)
  expect(await dialog().count()).toBe(0)
})
