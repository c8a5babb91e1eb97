// Several rows of the list at `/` at once: chosen by mouse and by keys, deleted, released and exported, in a real browser.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import {
  addPets,
  firstRows,
  focusedName,
  openEachTest,
  openSignedIn,
  overtake,
  refusal,
} from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { OVERLOADED } from '../../service/src/domain/petstore-error.ts'
import { labelOf, withoutOrder } from '../src/animal/status-labels.ts'
import { PAGE_SIZE } from '../src/list/page-sizes.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

let service: Service
let page: Page
/** Of another till. */
let client: PetstoreClient
const { animals, dialog, go, hold, press, said } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})

const bar = () => page.getByRole('region', { name: 'Chosen rows' })
const choice = (name: string) => page.getByRole('checkbox', { name: `Choose ${name}`, exact: true })

test('several animals are deleted at once; one message says what was done, what was not, and why', async () => {
  await addPets(service, PAGE_SIZE + 10, 'available', 'available')
  await client.cancelOrder((await client.placeOrder({ petId: 3n })).id)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows(PAGE_SIZE + 10)).waitFor()
  await page.getByRole('button', { name: 'Select' }).click()
  await choice(`All ${PAGE_SIZE} on this page`).check()
  await bar().getByText(`${PAGE_SIZE} chosen`).waitFor()
  await choice(`Pet ${PAGE_SIZE}`).uncheck()
  expect(await page.evaluate("document.querySelector('.rows thead input').indeterminate")).toBe(true)
  // What is chosen stays on the next page.
  await page.getByRole('button', { name: 'Next' }).click()
  await choice(`Pet ${PAGE_SIZE + 1}`).check()
  await bar().getByText(`${PAGE_SIZE} chosen`).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  for (const width of [320, 2560]) {
    await page.setViewportSize({ width, height: 700 })
    // There the bar covers no rows.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    expect(await layoutProblems(page)).toEqual([])
  }
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText(firstRows(PAGE_SIZE + 10)).waitFor()
  // Another till is quicker with two of them, and this one does not see it yet.
  const release = await hold('**/v1/pets?**')
  await client.updatePet(1n, { name: 'Luna' })
  await client.deletePet(2n)
  await bar().getByRole('button', { name: 'Delete' }).click()
  await dialog().getByText(`Delete these ${PAGE_SIZE}?`).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  expect(await focusedName(page)).not.toBe('Delete')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  const said = await bar().getByRole('alert').innerText()
  expect(said).toStartWith(`${PAGE_SIZE - 3} are deleted. 3 are not: `)
  for (const reason of [
    'Pet 1 (1) – somebody else has just changed it',
    'Pet 2 (2) – somebody else has deleted it',
    'Pet 3 (3) – was ordered once, and stays for its orders',
  ]) {
    expect(said).toContain(reason)
  }
  const others = Array.from({ length: 9 }, (_, n) => PAGE_SIZE + 2 + n)
  expect((await animals()).map(({ id }) => Number(id))).toEqual([1, 3, PAGE_SIZE, ...others])
  release()
  // What was not done is still chosen, and is shown as it is now.
  await choice('Luna').waitFor()
  expect(await choice('Luna').isChecked()).toBe(true)
  await choice('Pet 3').uncheck()
  await bar().getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await bar().getByText('1 is deleted. 1 is not: Pet 2 (2)').waitFor()
})

test('several reservations are released by keys alone; what is not reserved is said to be so, and stays', async () => {
  await addPets(service, 4, 'available', 'available')
  await addPets(service, 1, 'pending', 'pending')
  for (const petId of [1n, 2n, 3n]) await client.placeOrder({ petId, reference: 'Anna' })
  await openSignedIn(page, service.key)
  await page.getByText('For Anna').first().waitFor()
  for (let row = 0; row < 5; row++) {
    await press(SHORTCUTS.nextRow.key)
    await press(SHORTCUTS.choose.key)
  }
  await bar().getByText('5 chosen').waitFor()
  expect(await focusedName(page)).toBe('Pet 1')
  await go('Release')
  await dialog().waitFor()
  await press('Enter')
  const notice = bar().getByRole('alert')
  await notice.getByText('3 are available again. 2 are not: ').waitFor()
  await notice.getByText(`Pet 4 (4) – it is not ${labelOf('pending').toLowerCase()}`).waitFor()
  await notice.getByText(`Pet 1 (5) – it was ${withoutOrder('pending')}`).waitFor()
  expect((await animals()).map(({ status }) => status)).toEqual([...Array(4).fill('available'), 'pending'])
  await press('Escape')
  await bar().waitFor({ state: 'detached' })

  for (const petId of [1n, 2n]) await client.placeOrder({ petId })
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('button', { name: 'Select' }).click()
  await choice('All 2 on this page').check()
  expect(await bar().getByRole('button', { name: 'Delete' }).count()).toBe(0)
  await bar().getByRole('button', { name: 'Release' }).click()
  await dialog().getByRole('button', { name: 'Release' }).click()
  await said('2 are available again.')
  await bar().waitFor({ state: 'detached' })
})

test('nothing is deleted or released that another till changes between the two requests', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  const act = async (name: string) => {
    await page.getByRole('button', { name: 'Select' }).click()
    await choice('All 1 on this page').check()
    await bar().getByRole('button', { name }).click()
    await dialog().getByRole('button', { name }).click()
    await bar().getByText('somebody else has just changed it').waitFor()
    await press('Escape')
  }
  await overtake(page, '/pets/1', () => client.updatePet(1n, { name: 'Luna' }))
  await act('Delete')
  const { id } = await client.placeOrder({ petId: 1n })
  await page.getByRole('link', { name: 'Orders' }).click()
  await overtake(page, `/store/orders/${id}`, () => client.updateOrder(id, { reference: 'Eva' }))
  await act('Release')
  expect((await client.getOrder(id)).status).toBe('pending')
})

test('what is chosen is exported; where the service is lost half-way, the rest stays chosen and can be tried again', async () => {
  await addPets(service, PAGE_SIZE + 10, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows(PAGE_SIZE + 10)).waitFor()
  await page.getByRole('button', { name: 'Select' }).click()
  await choice('Pet 2').check()
  await choice('Pet 4').check()
  const downloading = page.waitForEvent('download')
  await bar().getByRole('button', { name: 'Export' }).click()
  const text = await Bun.file(await (await downloading).path()).text()
  expect(text.trim().split(/\r?\n/)).toEqual([
    'id,name,categoryId,status',
    '2,Pet 2,7,available',
    '4,Pet 4,7,available',
  ])
  await said('2 rows were exported.')

  await page.getByRole('button', { name: 'Select' }).click()
  await choice(`All ${PAGE_SIZE} on this page`).check()
  let deletions = 0
  await page.route('**/v1/pets/*', (route) =>
    route.request().method() === 'DELETE' && ++deletions > 8 ? route.fulfill(refusal(OVERLOADED)) : route.continue(),
  )
  await bar().getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await bar()
    .getByText(`8 are deleted. ${PAGE_SIZE - 8} are not:`)
    .waitFor()
  await bar().getByText(OVERLOADED.message).waitFor()
  await bar()
    .getByText(`${PAGE_SIZE - 8} chosen`)
    .waitFor()
  await page.unrouteAll()
  await bar().getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await said(`${PAGE_SIZE - 8} are deleted.`)
  expect(await animals()).toHaveLength(10)
})
