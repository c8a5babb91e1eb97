// The page at `/` while others work: it shows what they do as soon as it has happened, and disturbs nobody. test/logic/ has the rules of the rows,
// of edits and of the feed.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import {
  addPets,
  beginSale,
  focusedName,
  listedIds,
  openEachTest,
  openSignedIn,
  tabTo,
} from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import type { Pet, PetstoreClient } from '../../client/src/petstore.ts'
import { hashKey, refusedKey } from '../../service/src/domain/keys.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { PAGE_SIZE } from '../src/list/list-position.ts'

const RESERVED = labelOf('pending')

let service: Service
let page: Page
/** Of another till. */
let client: PetstoreClient
const { alert, dialog, go, openFollowing, press, row, said } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
  service.clock.at = Date.now()
})

test('a change by another till is in the row, the counts and an open dialog, with a mark; the focus and the text stay', async () => {
  await addPets(service, 5, 'available', 'available')
  await openFollowing()
  await tabTo(page, 'Reserve Pet 5')
  // The mark goes by itself, maybe before the next look.
  const marked = page.locator('tr.changed').waitFor()
  const order = await client.placeOrder({ petId: 2n, reference: 'محمد' })
  await marked
  // A name from right to left is shown as it is.
  await row('Pet 2').getByText('For محمد').waitFor()
  await page.getByRole('radio', { name: `${RESERVED} 1` }).waitFor()
  expect(await focusedName(page)).toBe('Reserve Pet 5')
  await page.locator('tr.changed').waitFor({ state: 'detached' })
  await client.cancelOrder(order.id)
  await row('Pet 2').getByRole('button', { name: 'Reserve Pet 2' }).waitFor()

  await page.getByRole('button', { name: 'Reserve Pet 1' }).click()
  await page.keyboard.type('Ann')
  await client.placeOrder({ petId: 1n })
  await dialog().getByText(`Pet 1 was ${RESERVED.toLowerCase()} a moment ago.`).waitFor()
  await page.keyboard.type('a')
  expect(await page.getByLabel('For whom').inputValue()).toBe('Anna')
  await press('Enter')
  await dialog().getByText('You have not reserved it.').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
})

test('no row moves by itself: what others do is announced below the list, and shown when asked for', async () => {
  const last = PAGE_SIZE + 3
  await addPets(service, last, 'available', 'available')
  const lists: string[] = []
  page.on('request', (request) => new URL(request.url()).pathname === '/v1/pets' && lists.push(request.url()))
  await openFollowing()
  await page.getByRole('radio', { name: `All ${last}` }).waitFor()
  // At its opening the list is fetched once.
  expect(lists).toHaveLength(1)
  // The pager says the same of all and of those: what comes next must not be in this answer.
  const narrowed = page.waitForResponse(/status=available/)
  await page.goto(`${service.origin}/?status=available&sort=newest`)
  await narrowed
  await row(`Pet ${last}`).waitFor()
  const places = async () =>
    page.evaluate("[...document.querySelectorAll('.rows tr')].map((row) => row.getBoundingClientRect().y)")
  const before = [await listedIds(page), await places()]
  await client.createPet({ name: 'Luna', categoryId: 7n })
  await client.placeOrder({ petId: BigInt(last - 3), reference: 'Anna' })
  await client.deletePet(BigInt(last - 4))
  await said('1 new animal, 2 left this view')
  await row(`Pet ${last - 3}`)
    .getByText('For Anna')
    .waitFor()
  const deleted = row(`Pet ${last - 4}`)
  await deleted.getByText('Deleted', { exact: true }).waitFor()
  expect(await deleted.getByRole('button', { name: 'Reserve' }).count()).toBe(0)
  expect([await listedIds(page), await places()]).toEqual(before)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await layoutProblems(page)).toEqual([])

  await go('1 new animal, 2 left this view · Refresh')
  await row('Luna').waitFor()
  expect(await page.evaluate('document.activeElement.id')).toBe('list')
  // What a person does on this page leaves the rows where they are, too.
  await beginSale(page, `Pet ${last}`)
  await press('Enter')
  await row(`Pet ${last}`).getByText('Sold', { exact: true }).waitFor()
  await page.getByText('1 animal left this view').first().waitFor()
  // When you go elsewhere and come back, the list is as it is.
  await go(`Pet ${last - 1}`)
  await page.getByRole('heading', { name: `Pet ${last - 1}` }).waitFor()
  await page.getByRole('button', { name: '← Animals' }).click()
  await row(`Pet ${last - 1}`).waitFor()
  expect(await row(`Pet ${last}`).count()).toBe(0)
})

test('a list that is being fetched is fetched to its end, also when the network is back in that moment', async () => {
  await addPets(service, 2, 'available', 'available')
  // The page fetches the list at once when the network is back. It is, once: after a change was told, while the page is about to fetch it.
  await page.addInitScript(`{
    const { fetch } = window
    let listing = 0
    const goOnline = () => {
      if (!window.changing || listing > 0) return
      window.changing = false
      dispatchEvent(new Event('online'))
    }
    window.fetch = async (...asked) => {
      const isList = !String(asked[0]).includes('/store/events')
      listing += isList
      try {
        const answer = await fetch(...asked)
        if (isList) await answer.clone().arrayBuffer()
        else setTimeout(goOnline, 50)
        return answer
      } finally {
        listing -= isList
      }
    }
  }`)
  await page.reload()
  await openFollowing()
  // With the counts, the list has been fetched to its end.
  await page.getByRole('radio', { name: 'All 2' }).waitFor()
  await page.evaluate('window.changing = true')
  let listed = 0
  const cut: string[] = []
  page.on('requestfailed', (request) => cut.push(request.url()))
  // Longer than the page waits before it fetches the list again.
  await page.route('**/v1/pets?**', async (route) => {
    await Bun.sleep(400)
    await route.continue().catch(() => undefined)
    listed++
  })
  for (let added = 0; listed < 3; added++) {
    await client.createPet({ name: `Luna ${added}`, categoryId: 7n })
    await Bun.sleep(5)
  }
  expect(cut).toEqual([])
})

test('a reservation that ends shows in every tab, which share one waiting request; a key that is revoked ends the session', async () => {
  await addPets(service, 2, 'available', 'available')
  const minute = new Date(service.clock.at + 60_000).toISOString()
  await client.placeOrder({ petId: 1n, reference: 'Anna', expiresAt: minute })
  await openFollowing()
  const tab = await page.context().newPage()
  const asked: string[] = []
  tab.on('request', (request) => asked.push(request.url()))
  await tab.goto(`${service.origin}/`)
  for (const one of [page, tab]) await one.getByText('For Anna').waitFor()
  service.clock.at = Date.parse(minute)
  for (const one of [page, tab]) await one.getByRole('button', { name: 'Reserve Pet 1' }).waitFor()
  expect(asked.filter((url) => url.includes('wait='))).toEqual([])
  await service.store.revokeKey((await service.store.findKey(hashKey(service.key)))?.id as bigint)
  await alert().getByText(refusedKey('revoked').message).waitFor()
})

test('an edit undoes nothing that another till has changed meanwhile: it shows theirs and mine, field by field', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.goto(`${service.origin}/?animal=1`)
  const edit = async () => page.getByRole('button', { name: 'Edit', exact: true }).click()
  const versions = (field: string) =>
    dialog()
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: field }) })
  const fields = async () => {
    const { name, categoryId } = (await client.listPage({ limit: 1 })).pets[0] as Pet
    return [name, categoryId]
  }
  // They rename it, and only the category is edited here: both are kept.
  await edit()
  await dialog().getByLabel('Category').fill('8')
  await client.updatePet(1n, { name: 'Luna' })
  await versions('Name').getByText('Luna').waitFor()
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Luna')
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await layoutProblems(page)).toEqual([])
  await press('Enter')
  await said('Luna is saved.')
  expect(await fields()).toEqual(['Luna', 8n])

  // The news of it comes too late: what was sent is refused, and both are shown.
  await page.route('**/v1/store/events?**wait=**', () => undefined)
  await page.reload()
  await edit()
  await dialog().getByLabel('Name').fill('Mia')
  await client.updatePet(1n, { name: 'Bella', categoryId: 9n })
  await dialog().getByRole('button', { name: 'Save' }).click()
  await versions('Name').getByText('Mia').waitFor()
  await versions('Name').getByText('Bella').waitFor()
  await versions('Category').getByText('9').waitFor()
  expect(await alert().allInnerTexts()).toEqual([
    expect.stringMatching(/^Nothing was changed. Another till has changed this\./),
  ])
  expect(await fields()).toEqual(['Bella', 9n])
  await dialog().getByRole('button', { name: 'Use theirs' }).click()
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Bella')
  await dialog().getByLabel('Name').fill('Mia')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Mia', exact: true }).waitFor()
  expect(await fields()).toEqual(['Mia', 9n])
})

test('without a feed, the list is fetched every 15 seconds', async () => {
  await addPets(service, 2, 'available', 'available')
  await page.route(`**/v1/store/events**`, (route) =>
    route.fulfill({ status: 404, body: '{"code":"not_found","message":"Nothing.","status":404}' }),
  )
  await page.clock.install()
  await openSignedIn(page, service.key)
  await page.getByText('2 animals').waitFor()
  await client.placeOrder({ petId: 1n, reference: 'Anna' })
  await page.clock.runFor(16_000)
  await row('Pet 1').getByText('For Anna').waitFor()
})
