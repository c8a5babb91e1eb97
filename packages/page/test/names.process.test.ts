// The names of the store and of categories on the page at `/`: where they are shown, and that they are typed in place of ids.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { openAdding, openEachTest, openSignedIn } from '../../../test/support/console.ts'
import type { Service } from '../../../test/support/service.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { Names } from '../../service/src/domain/names.ts'

const DOGS = 9223372036854775807n
const STORE = 'Rex & Co'
const categories = [
  { id: DOGS, name: 'Dogs' },
  { id: 8n, name: 'Small animals' },
  { id: 9n, name: 'Small birds' },
  { id: 10n, name: 'כלבים\u202e' },
]

let service: Service
let page: Page
let client: PetstoreClient
const { addNamed, animals, press, row, type } = openEachTest(
  (opened) => {
    ;({ service, page, client } = opened)
  },
  { names: new Names(STORE, categories) },
)

async function openShop(): Promise<void> {
  await addNamed(
    { name: 'Rex', categoryId: DOGS },
    { name: 'Pip', categoryId: 8n },
    { name: 'Tom', categoryId: 11n },
    { name: 'Kelev', categoryId: 10n },
  )
  await page.getByRole('heading', { name: STORE }).waitFor()
  expect(await page.title()).toBe(`Sign in · ${STORE}`)
  await page.keyboard.insertText(service.key)
  await press('Enter')
  await row('Rex').getByRole('link', { name: 'Dogs' }).waitFor()
}

describe('the page', () => {
  test('shows names in rows, and an id that has none; the store’s name is the title', async () => {
    await openShop()
    expect(await page.title()).toBe(`Animals · ${STORE}`)
    await page.getByRole('banner').getByText(STORE).waitFor()
    await row('Tom').getByRole('link', { name: '11' }).waitFor()
    // A character that turns the text is shown as a sign.
    await row('Kelev').getByText('U+202E').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await row('Rex').getByRole('link', { name: 'Dogs' }).click()
    await page.waitForURL(/\?category=9223372036854775807$/)
    expect(await page.locator('#filter-category').inputValue()).toBe('Dogs')
    await page.reload()
    await row('Rex').getByRole('link', { name: 'Dogs' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: STORE }).waitFor()
  })

  test('filters by a name as it is typed, and says which name does not exist', async () => {
    await openShop()
    const filter = page.locator('#filter-category')
    await filter.focus()
    await type('small')
    // Two names begin so.
    await row('Rex').waitFor()
    await type(' a')
    await page.waitForURL(/\?category=8$/)
    await row('Rex').waitFor({ state: 'hidden' })
    expect(await filter.inputValue()).toBe('small a')
    await press('Tab')
    expect(await filter.inputValue()).toBe('Small animals')
    await filter.fill('cats')
    await page.getByText('Enter the name of a category, or a whole number.').waitFor()
    await filter.fill('10')
    await page.waitForURL(/\?category=10$/)
    await page.getByRole('radio', { name: 'Sold' }).check()
    await page.getByText(/^No sold animals in category .*כלבים.*\.$/).waitFor()
  })

  test('adds and edits by name; the history has names, and a number that is the same changes nothing', async () => {
    await openShop()
    await openAdding(page)
    await type('Mia')
    const category = page.getByRole('dialog').getByLabel('Category', { exact: true })
    expect(await category.getAttribute('inputmode')).not.toBe('numeric')
    await category.fill('Dgos')
    await press('Enter')
    await page.getByText('Category must be the name of a category, or a whole number.').waitFor()
    await category.fill('DOGS')
    await press('Enter')
    await row('Mia').getByRole('link', { name: 'Dogs' }).waitFor()
    expect((await animals()).at(-1)).toMatchObject({ name: 'Mia', categoryId: DOGS })

    await row('Mia').getByRole('link', { name: 'Mia' }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await category.inputValue()).toBe('Dogs')
    await category.fill(String(DOGS))
    await press('Enter')
    await page.getByText('Nothing was changed.').first().waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await category.fill('small birds')
    await press('Enter')
    await page.getByText('category from Dogs to Small birds').waitFor()
    expect((await animals()).at(-1)).toMatchObject({ categoryId: 9n })
  })

  test('imports names, shows them before, and adds nothing twice if a name has become an id', async () => {
    await openShop()
    const dialog = page.getByRole('dialog', { name: 'Import animals' })
    const choose = (text: string) =>
      dialog
        .getByLabel('CSV file')
        .setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(`name,category\n${text}`) })
    await page.getByRole('button', { name: 'Import' }).click()
    await choose('Anna,dogs\nBea,8\nCleo,cats\n')
    await dialog.getByRole('button', { name: 'Add 2', exact: true }).click()
    await dialog.getByText('2 added', { exact: false }).first().waitFor()
    expect((await animals()).slice(-2).map(({ name, categoryId }) => [name, categoryId])).toEqual(
      expect.arrayContaining([
        ['Anna', DOGS],
        ['Bea', 8n],
      ]),
    )
    await choose(`Anna,${DOGS}\nBea,SMALL ANIMALS\n,8\n`)
    expect(await dialog.getByLabel('Category, line 4').inputValue()).toBe('Small animals')
    await dialog.getByRole('button', { name: 'Add 2', exact: true }).click()
    await dialog.getByText('0 added, 2 were there already', { exact: false }).first().waitFor()
  })

  test('prints the store’s name and the category on a receipt', async () => {
    await openShop()
    await client.completeOrder((await client.placeOrder({ petId: 1n })).id)
    await page.goto(`${service.origin}/?order=1`)
    await page.getByRole('button', { name: 'Print a receipt' }).waitFor()
    const receipt = page.locator('.paper-receipt')
    await page.emulateMedia({ media: 'print' })
    expect(await receipt.innerText()).toMatch(new RegExp(`^${STORE} [^]*Category\\s+Dogs`))
  })
})

test('with a service of 1.0.0, categories are numbers, and the store has no name', async () => {
  await page.route('**/names', (route) => route.fulfill({ status: 404, body: '{"code":"not_found","message":"No."}' }))
  await addNamed({ name: 'Rex', categoryId: DOGS })
  await page.reload()
  await openSignedIn(page, service.key)
  await row('Rex')
    .getByRole('link', { name: String(DOGS) })
    .waitFor()
  await page.locator('#filter-category').fill('Dogs')
  await page.getByText('Enter a whole number.').waitFor()
  expect(await page.title()).toBe('Animals · Petstore')
})
