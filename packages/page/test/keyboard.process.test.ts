// The page at `/` by keyboard alone: its shortcuts, its list, a sale, and a day at a counter, in a real browser.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import {
  addPets,
  firstRows,
  focusedName,
  openEachTest,
  openSignedIn,
  rowsOn,
  THREE_PAGES,
  tabTo,
} from '../../../test/support/console.ts'
import type { Service } from '../../../test/support/service.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

const RESERVED = labelOf('pending')
const TAKEN_BACK = labelOf('returned')

let service: Service
let page: Page
const { dialog, go, press, said, type } = openEachTest((opened) => {
  ;({ service, page } = opened)
  service.clock.at = Date.now()
})

const history = () => page.getByRole('region', { name: 'History' }).getByRole('listitem')

test('the list by keys: its pager keeps the focus, its head and pager stay in sight, keys are explained and can be turned off', async () => {
  await addPets(service, THREE_PAGES, 'sold', 'available')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  // A link at the start of the page leads to the list.
  await press('Shift+Tab')
  for (let step = 0; step < 12 && (await focusedName(page)) !== 'Skip to the list'; step++) await press('Shift+Tab')
  await press('Enter')
  await press('Tab')
  expect([await focusedName(page), page.url()]).toEqual(['Copy id 1', `${service.origin}/`])
  await go('Next')
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  await press('Enter')
  await page.getByText(rowsOn(3, THREE_PAGES)).waitFor()
  expect(await focusedName(page)).toBe('Next')
  expect((await page.locator('.rows').boundingBox())?.y).toBeGreaterThan(-2)
  await press('Enter')
  await press('ArrowLeft')
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  expect((await page.getByRole('columnheader', { name: 'Name' }).boundingBox())?.y).toBeWithin(-1, 1)
  await page.evaluate('scrollTo(0, 0)')
  const next = await page.getByRole('button', { name: 'Next' }).boundingBox()
  expect((next?.y ?? 0) + (next?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)

  await press(SHORTCUTS.search.key)
  await type('2n')
  expect(await page.getByLabel('Search').inputValue()).toBe('2n')
  await press('Escape')
  // Keys work after a filter was chosen, but arrows and digits choose there.
  await page.getByRole('radio', { name: 'Available' }).click()
  await press('ArrowLeft')
  await page.getByRole('radio', { name: 'All', checked: true }).waitFor()
  await press(SHORTCUTS.add.key)
  await dialog().getByLabel('Name').waitFor()
  await press('Escape')
  await press(SHORTCUTS.explain.key)
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await keys.getByText('Previous page').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await keys.getByLabel('Use keyboard shortcuts').uncheck()
  await keys.getByRole('button', { name: 'Close' }).last().click()
  await keys.waitFor({ state: 'hidden' })
  await press(SHORTCUTS.add.key)
  expect(await dialog().count()).toBe(0)
})

test('a whole sale by keyboard takes 6 keys: the id, Enter, to the button, and twice Enter', async () => {
  await addPets(service, 30, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.evaluate(`window.keys = 0, addEventListener('keydown', () => { window.keys++ }, true)`)
  await type('7')
  await press('Enter')
  await page.getByRole('heading', { name: 'Pet 7', exact: true, level: 1 }).waitFor()
  await go('Sell Pet 7')
  await dialog().getByRole('button', { name: 'Sell' }).waitFor()
  await press('Enter')
  await said('Pet 7 is sold.')
  expect(await page.evaluate('window.keys')).toBe(6)
})

test('a whole day at a counter is done by keyboard alone', async () => {
  await addPets(service, 30, 'available', 'available')
  await openSignedIn(page, service.key)
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  const done = (last: string) => history().first().getByText(last).waitFor()
  await page.evaluate('window.print = () => document.body.append("printed")')

  // Find and open.
  await press(SHORTCUTS.search.key)
  await type('pet 7')
  await page.getByText('1 animal', { exact: true }).waitFor()
  await go('Pet 7')
  await heading('Pet 7')
  // Reserve, extend, complete, print, take back.
  await go('Reserve Pet 7')
  await dialog().waitFor()
  await type('Anna')
  await press('Enter')
  await done(`${RESERVED} for Anna`)
  await go('Order 1')
  await heading('Order 1')
  await go('Edit')
  await tabTo(page, 'For how long')
  await type('1 week')
  await tabTo(page, 'Save')
  await press('Enter')
  await done('Order edited: until from ')
  await go('Sell Pet 7')
  await dialog().getByText(`${RESERVED} for Anna`).waitFor()
  await press('Enter')
  await done('Sold for Anna')
  await go('Print a receipt')
  await page.getByText('printed').waitFor()
  await go('Take back Pet 7')
  await dialog().getByText('Sold ').waitFor()
  await press('Enter')
  await done(TAKEN_BACK)
  // Add, correct, delete.
  await press(SHORTCUTS.add.key)
  await dialog().waitFor()
  await type('Lnua')
  await press('Tab')
  await type('7')
  await press('Enter')
  await dialog().waitFor({ state: 'hidden' })
  await go('Show it')
  await heading('Lnua')
  await go('Edit')
  await dialog().waitFor()
  await press('Control+A')
  await type('Luna')
  await press('Enter')
  await heading('Luna')
  await go('Delete')
  await dialog().waitFor()
  await go('Delete')
  await said('Luna is deleted.')
  await go('Sign out')
  await page.getByLabel('API key').waitFor()

  const events: { type: string; orderStatus?: string }[] = JSON.parse(
    (await service.get('/store/events?limit=100')).text,
  )
  expect(events.slice(30).map(({ type }) => type)).toEqual([
    'order.placed',
    'order.changed',
    'order.completed',
    'order.returned',
    'pet.added',
    'pet.changed',
    'pet.deleted',
  ])
})
