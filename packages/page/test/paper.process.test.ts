// What the page at `/` prints: the list, all of it where somebody asks for that, and the receipt of an order.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  addPets,
  beginSale,
  firstRows,
  openEachTest,
  openSignedIn,
  THREE_PAGES,
} from '../../../test/support/console.ts'
import type { Service } from '../../../test/support/service.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { PAGE_SIZE } from '../src/list/list-position.ts'

let service: Service
let page: Page
let client: PetstoreClient
const { press } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
  service.clock.at = Date.now()
})

test('on paper there is one table with a title that says what was filtered, and nothing to press', async () => {
  await addPets(service, THREE_PAGES, 'available', 'sold')
  await openSignedIn(page, service.key)
  await page.getByRole('radio', { name: 'Available' }).check()
  const title = page.locator(`.print-title[data-text^="Available · Oldest first · ${firstRows()} of "]`)
  await title.waitFor({ state: 'attached' })
  expect(await title.isVisible()).toBe(false)
  await page.emulateMedia({ media: 'print' })
  expect(await title.isVisible()).toBe(true)
  expect(await page.locator('.rows tbody tr').count()).toBe(PAGE_SIZE)
  expect(
    await page
      .getByRole('button')
      .filter({ visible: true, hasNot: page.locator('.mono') })
      .count(),
  ).toBe(0)
  for (const gone of ['.bar', '.tools', '.list-foot']) {
    expect(await page.locator(gone).isVisible()).toBe(false)
  }
  expect((await page.pdf()).length).toBeGreaterThan(10_000)

  // All that is filtered, when asked for.
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate('window.print = () => document.body.append("printed")')
  await page.getByLabel('Sort').selectOption('Newest first')
  await page.waitForURL(/sort=newest/)
  await page.getByRole('button', { name: 'Print', exact: true }).click()
  await page.getByText('printed').waitFor()
  await page.emulateMedia({ media: 'print' })
  const all = Number(/of (\d+)/.exec((await page.locator('.print-title').first().getAttribute('data-text')) ?? '')?.[1])
  const printed = page.locator('.sheet')
  expect(await printed.locator('.print-title').getAttribute('data-text')).toStartWith(
    `Available · Newest first · ${all} · `,
  )
  expect(await printed.locator('tbody tr').filter({ visible: true }).count()).toBe(all)
  expect(await page.locator('tbody tr').filter({ visible: true }).count()).toBe(all)
})

test('a receipt is one page, the same from the message after a sale and from the order’s own page', async () => {
  await addPets(service, 1, 'available', 'available')
  await client.placeOrder({ petId: 1n, reference: 'Anna' })
  await openSignedIn(page, service.key)
  await page.evaluate('window.print = () => {}')
  await beginSale(page, 'Pet 1')
  await page.getByRole('dialog').getByText('for Anna').waitFor()
  await press('Enter')
  await page.getByRole('button', { name: 'Receipt' }).click()
  const printed = await page.locator('.paper-receipt').textContent()
  await page.goto(`${service.origin}/?order=1`)
  await page.getByRole('heading', { name: 'Order 1' }).waitFor()
  expect(await page.locator('.paper-receipt').textContent()).toBe(printed)
  await page.emulateMedia({ media: 'print' })
  const year = new Date().getFullYear()
  const receipt = ['Petstore', 'Receipt', 'Number\n1', String(year), 'Till\ntest', 'Animal\nPet 1', 'For\nAnna']
  const paper = await page.getByRole('main').innerText()
  for (const part of receipt) expect(paper).toContain(part)
  for (const gone of ['History', 'Print a receipt', 'Placed']) expect(paper).not.toContain(gone)
  for (const width of ['80mm', '210mm']) {
    const pdf = (await page.pdf({ width, height: '297mm' })).toString('latin1')
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
  }
})
