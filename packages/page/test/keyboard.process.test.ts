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
import { PAGE_SIZE } from '../src/list/page-sizes.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

const RESERVED = labelOf('pending')
const TAKEN_BACK = labelOf('returned')

let service: Service
let page: Page
const { dialog, go, press, said, type } = openEachTest((opened) => {
  ;({ service, page } = opened)
  service.clock.at = Date.now()
})

const addAnimals = (count: number) => addPets(service, count, 'sold', 'available')
const history = () => page.getByRole('region', { name: 'History' }).getByRole('listitem')

test('the pager keeps the focus on its button, also at the end of the list', async () => {
  await addAnimals(THREE_PAGES)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  await go('Next')
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  await press('Enter')
  await page.getByText(rowsOn(3, THREE_PAGES)).waitFor()
  expect(await focusedName(page)).toBe('Next')
  expect((await page.locator('.rows').boundingBox())?.y).toBeGreaterThan(-2)
  await press('Enter')
  await press('Shift+Tab')
  expect(await focusedName(page)).toBe('Previous')
  await press('Enter')
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
})

test('keyboard shortcuts work, are explained, and can be turned off', async () => {
  await addAnimals(THREE_PAGES)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  await press('ArrowRight')
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  await press('ArrowLeft')
  await page.getByText(firstRows()).waitFor()
  await press(SHORTCUTS.search.key)
  expect(await focusedName(page)).toBe('Search')
  await page.keyboard.type('2n')
  expect(await page.getByLabel('Search').inputValue()).toBe('2n')
  await tabTo(page, 'Keys')
  await press(SHORTCUTS.add.key)
  const adding = page.getByRole('dialog', { name: 'Add an animal' })
  await adding.waitFor()
  await press('Escape')
  await adding.waitFor({ state: 'hidden' })
  await press(SHORTCUTS.explain.key)
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await keys.getByText('Previous page').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await keys.getByLabel('Use these keys').uncheck()
  await keys.getByRole('button', { name: 'Close' }).last().click()
  await keys.waitFor({ state: 'hidden' })
  await press(SHORTCUTS.add.key)
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('the head of the table and the pager stay in sight; keys work after a filter was chosen', async () => {
  await addAnimals(60)
  await openSignedIn(page, service.key)
  await page.getByLabel('Per page').selectOption('100')
  await page.getByText('60 of 60').waitFor()
  await page.getByLabel('Per page').selectOption(String(PAGE_SIZE))
  await page.getByText(firstRows(60)).waitFor()
  await page.locator('.rows tbody tr').last().scrollIntoViewIfNeeded()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  expect((await page.getByRole('columnheader', { name: 'Name' }).boundingBox())?.y).toBeWithin(-1, 1)
  await page.evaluate('scrollTo(0, 0)')
  const next = await page.getByRole('button', { name: 'Next' }).boundingBox()
  expect((next?.y ?? 0) + (next?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
  await press(SHORTCUTS.add.key)
  await dialog().waitFor()
  await press('Escape')
  await page.getByRole('radio', { name: 'Available' }).click()
  await page.getByText(firstRows(30)).waitFor()
  await press(SHORTCUTS.explain.key)
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await press('Escape')
  await press('ArrowLeft')
  await page.getByText(firstRows(60)).waitFor()
})

test('a link at the start of the page leads to the list; one of all animals has no pager', async () => {
  await addAnimals(3)
  await openSignedIn(page, service.key)
  await page.getByText('3 animals').waitFor()
  expect(await page.getByRole('button', { name: 'Next' }).count()).toBe(0)
  await press('Shift+Tab')
  for (let step = 0; step < 10 && (await focusedName(page)) !== 'Skip to the list'; step++) await press('Shift+Tab')
  await press('Enter')
  await press('Tab')
  expect(await focusedName(page)).toBe('Copy id 1')
  expect(page.url()).toBe(`${service.origin}/`)
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
