// Adding and editing at `/` in a browser: drafts, retries, and an edit that another till overtakes. test/logic/edits.test.ts has the rules.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addPets, focusedName, openAdding, openEachTest, openSignedIn } from '../../../test/support/console.ts'
import { valuesOf } from '../../../test/support/fields.ts'
import type { Service } from '../../../test/support/service.ts'
import type { Pet, PetstoreClient } from '../../client/src/petstore.ts'
import { FIELD_NAMES, FIELDS } from '../src/animal/fields.ts'

let service: Service
let page: Page
/** Another till. */
let client: PetstoreClient
const { alert, animals, button, dialog, go, hold, press, said, type } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})

const category = () => dialog().getByLabel('Category', { exact: true })
const history = () => page.getByRole('region', { name: 'History' }).getByRole('listitem')
const heading = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()

test('the form and the table have every field of an animal', async () => {
  await addPets(service, 1, 'sold', 'sold')
  await openSignedIn(page, service.key)
  await page.getByRole('columnheader').first().waitFor()
  const labels = FIELD_NAMES.map((field) => FIELDS[field].label)
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Id', ...labels, 'Actions'])
  await openAdding(page)
  const values = valuesOf('NewPet')
  await page.getByText('Already reserved or sold?').click()
  for (const field of FIELD_NAMES) {
    const control = page.locator(`[name="${field}"]`)
    if ((await control.first().getAttribute('type')) === 'radio')
      await control.and(page.locator(`[value="${values[field]}"]`)).check()
    else await control.fill(String(values[field]))
  }
  await press('Enter')
  await dialog().waitFor({ state: 'hidden' })
  expect((await animals())[1]).toEqual({ id: 2n, ...values } as never)
  const row = page.getByRole('row').filter({ hasText: String(values.name) })
  await row.waitFor()
  const cells = (await row.innerText()).toLowerCase()
  for (const value of Object.values(values)) expect(cells).toContain(String(value).toLowerCase())
})

test('adding by keyboard shows problems at their fields, keeps the draft, and adds once after a lost response and a reload', async () => {
  await openSignedIn(page, service.key)
  await openAdding(page)
  expect(await focusedName(page)).toBe('Name')
  await type('   ')
  await press('Tab')
  await category().fill('99999999999999999999')
  await press('Enter')
  await page.getByText('Name must contain').waitFor()
  const describedBy = async (label: string) => {
    const ids = await dialog().getByLabel(label, { exact: true }).getAttribute('aria-describedby')
    return page.locator(`#${ids?.split(' ')[0]}`).textContent()
  }
  expect(await describedBy('Name')).toStartWith('Name must contain')
  expect(await describedBy('Category')).toMatch(/^Category must .* 9223372036854775807, not 9{20}\.$/)
  expect([await focusedName(page), await category().inputValue()]).toEqual(['Name', '99999999999999999999'])
  await press('ControlOrMeta+A')
  await type('Luna')
  await page.getByText('Name must contain').waitFor({ state: 'hidden' })
  expect(await focusedName(page)).toBe('Name')
  await press('Escape')
  await page.getByText('Draft kept').waitFor()
  await openAdding(page)
  await page.getByText('Draft restored.').waitFor()
  await category().fill('9223372036854775807')
  // The service adds the animal, but its response is lost.
  const keys = new Set<string | undefined>()
  let isLost = true
  await page.route('**/v1/pets', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.add(route.request().headers()['idempotency-key'])
    if (!isLost) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await press('Enter')
  await alert().getByText('The animal may have been added.').waitFor()
  isLost = false
  await page.reload()
  await openAdding(page)
  await press('Enter')
  await dialog().waitFor({ state: 'hidden' })
  await said('Luna was added. Its id is 1.')
  expect(await focusedName(page)).toBe('Add an animal')
  expect(await page.getByText('Draft kept').count()).toBe(0)
  expect(keys.size).toBe(1)
  // Text that is typed while an animal is being added is the next draft.
  await openAdding(page)
  await type('Ida')
  await category().fill('8')
  const release = await hold('**/v1/pets')
  await press('Enter')
  await dialog().getByLabel('Name').fill('Ada')
  release()
  await page.getByText('Draft kept').waitFor()
  await openAdding(page)
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Ada')
  await button('Clear').click()
  await press('Escape')
  expect(await animals()).toMatchObject([
    { id: 1n, name: 'Luna', categoryId: 9223372036854775807n, status: 'available' },
    { id: 2n, name: 'Ida' },
  ])
})

test('several animals are added in a row; a double press adds one, and a form that reopens immediately stays open', async () => {
  await openSignedIn(page, service.key)
  await openAdding(page)
  await type('Rex')
  await category().fill('7')
  await button('Add another').click()
  await page.getByText('Rex was added. The category is kept for the next one.').waitFor()
  expect(await focusedName(page)).toBe('Name')
  await type('Mia')
  await page.evaluate(`for (const press of [1, 2]) document.querySelector('dialog[open] form').requestSubmit()`)
  await dialog().waitFor({ state: 'hidden' })
  expect((await animals()).map(({ name, categoryId }) => `${name} ${categoryId}`)).toEqual(['Rex 7', 'Mia 7'])
  await openAdding(page)
  await type('Tom')
  await category().fill('8')
  await button('Add another').click()
  await dialog().getByText('Tom was added.').waitFor()
  await press('Escape')
  expect(await page.getByText('Draft kept').count()).toBe(0)
  const offered = page.locator('datalist option')
  await offered.nth(1).waitFor({ state: 'attached' })
  expect(await offered.evaluateAll((all) => all.map((one) => one.getAttribute('value')))).toEqual(['8', '7'])

  // The browser reports the close a frame later.
  await openAdding(page)
  await page.evaluate(`(async () => {
    document.querySelector('dialog[open] button[type="button"]').click()
    while (document.querySelector('dialog[open]')) await undefined
    document.querySelector('.title-actions .primary').click()
    for (const frame of [1, 2]) await new Promise(requestAnimationFrame)
  })()`)
  expect(await dialog().count()).toBe(1)
})

test('an edit never undoes a change by another till: it shows both versions, field by field', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.goto(`${service.origin}/?animal=1`)
  const versions = (field: string) =>
    dialog()
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: field }) })
  const fields = async () => {
    const { name, categoryId } = (await client.listPage({ limit: 1 })).pets[0] as Pet
    return [name, categoryId]
  }
  // The other till changes the name and this one the category, so both changes are kept.
  await go('Edit')
  await category().fill('8')
  await client.updatePet(1n, { name: 'Luna' })
  await versions('Name').getByText('Luna').waitFor()
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Luna')
  await press('Enter')
  await said('Luna is saved.')
  expect(await fields()).toEqual(['Luna', 8n])

  // Without the event, the service rejects the edit.
  await page.route('**/v1/store/events?**wait=**', () => undefined)
  await page.reload()
  await go('Edit')
  await dialog().getByLabel('Name').fill('Mia')
  await client.updatePet(1n, { name: 'Bella', categoryId: 9n })
  await button('Save').click()
  await versions('Name').getByText('Mia').waitFor()
  await versions('Name').getByText('Bella').waitFor()
  await versions('Category').getByText('9').waitFor()
  expect(await alert().allInnerTexts()).toEqual([
    expect.stringMatching(/^Nothing was changed. Another till has changed this\./),
  ])
  expect(await fields()).toEqual(['Bella', 9n])
  await button('Use theirs').click()
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Bella')
  await dialog().getByLabel('Name').fill('Mia')
  await button('Save').click()
  await heading('Mia')
  expect(await fields()).toEqual(['Mia', 9n])
})

test('a wrong entry is corrected: a status without an order, the terms of an order, and a whole animal', async () => {
  service.clock.at = Date.now()
  await addPets(service, 2, 'sold', 'available')
  await client.placeOrder({ petId: 2n, reference: 'Ana' })
  await openSignedIn(page, service.key)
  await go('Pet 1')
  await go('Make available')
  await dialog().getByRole('button', { name: 'Make available' }).click()
  await button('Reserve Pet 1').waitFor()
  expect(await button('Make available').count()).toBe(0)
  await go('Delete')
  const deletes = dialog().getByRole('button', { name: 'Delete' })
  expect(await deletes.getAttribute('class')).toBe('danger')
  expect(await focusedName(page)).not.toBe('Delete')
  await deletes.click()
  await said('Pet 1 is deleted.')
  await page.waitForURL(`${service.origin}/`)
  await page.goto(`${service.origin}/?animal=1`)
  await history().first().getByText('Deleted').waitFor()
  expect(await button('Edit').count()).toBe(0)

  await page.goto(`${service.origin}/?order=1`)
  await go('Edit')
  expect(await dialog().getByLabel('For whom').inputValue()).toBe('Ana')
  await dialog().getByLabel('For whom').fill('Anna')
  await dialog().getByLabel('For how long').selectOption('Until…')
  const until = page.getByLabel('Until', { exact: true })
  // One hour from now, to the minute.
  expect(Date.parse(await until.inputValue()) - Date.now()).toBeWithin(3_480_000, 3_600_001)
  await button('Save').click()
  await history().first().getByText('Order edited: for whom from Ana to Anna, until from no end to').waitFor()
})
