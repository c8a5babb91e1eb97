// The page at `/` while others work: it shows what they do as soon as it has happened, and disturbs nobody.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import {
  addPets,
  beginSale,
  firstRows,
  focusedName,
  listedIds,
  openEachTest,
  openSignedIn,
  overtake,
  tabTo,
} from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import type { Pet, PetstoreClient } from '../../client/src/petstore.ts'
import { hashKey, refusedKey } from '../../service/src/domain/keys.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { PAGE_SIZE } from '../src/list/page-sizes.ts'

const RESERVED = labelOf('pending')

let service: Service
let page: Page
/** Of another till. */
let client: PetstoreClient
const { alert, dialog, go, openFollowing, press, row, said } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
  service.clock.at = Date.now()
})
const isEvents = (url: string) => new URL(url).pathname === '/v1/store/events'

test('a change by another till is in the row and the counts, with a mark; the focus stays', async () => {
  await addPets(service, 30, 'available', 'available')
  await openFollowing()
  await tabTo(page, 'Reserve Pet 5')
  // The mark goes by itself, maybe before the next look.
  const marked = page.locator('tr.changed').waitFor()
  const order = await client.placeOrder({ petId: 2n, reference: 'Anna' })
  await marked
  await row('Pet 2').first().getByText('For Anna').waitFor()
  await page.getByRole('radio', { name: `${RESERVED} 1` }).waitFor()
  expect(await focusedName(page)).toBe('Reserve Pet 5')
  await page.locator('tr.changed').waitFor({ state: 'detached' })
  await client.cancelOrder(order.id)
  await row('Pet 2').first().getByRole('button', { name: 'Reserve Pet 2', exact: true }).waitFor()
  expect(await row('Pet 2').first().getByText('For Anna').count()).toBe(0)

  await page.getByRole('radio', { name: 'Available' }).check()
  await page.getByText(firstRows(30)).waitFor()
  await tabTo(page, 'Reserve Pet 5')
  await client.placeOrder({ petId: 5n })
  await row('Pet 5').getByText(RESERVED, { exact: true }).waitFor()
  expect(await focusedName(page)).toBe('Release Pet 5')
})

test('no row moves by itself: what others add, change and delete is announced above the list, and shown when asked for', async () => {
  const last = PAGE_SIZE + 3
  await addPets(service, last, 'available', 'available')
  const lists: string[] = []
  page.on('request', (request) => new URL(request.url()).pathname === '/v1/pets' && lists.push(request.url()))
  await openFollowing()
  await page.getByRole('radio', { name: `All ${last}` }).waitFor()
  // At its opening the list is fetched once.
  expect(lists).toHaveLength(1)
  await page.getByLabel('Sort').selectOption('Newest first')
  await row(`Pet ${last}`).waitFor()
  // The pager says the same of all and of those: what comes next must not be in this answer.
  const narrowed = page.waitForResponse(/status=available/)
  await page.getByRole('radio', { name: 'Available' }).check()
  await narrowed
  await page.getByText(firstRows(last)).waitFor()
  const places = async () =>
    page.evaluate("[...document.querySelectorAll('.rows tr')].map((row) => row.getBoundingClientRect().y)")
  const before = [await listedIds(page), await places()]
  const show = (what: string) => page.getByRole('button', { name: `${what}: Show`, exact: true })

  await client.createPet({ name: 'Luna', categoryId: 7n })
  await show('1 new animal').waitFor()
  await client.createPet({ name: 'Mia', categoryId: 7n })
  await client.placeOrder({ petId: BigInt(last - 3), reference: 'Anna' })
  await client.deletePet(BigInt(last - 4))
  await show('2 new animals, 2 no longer here').waitFor()
  await said('2 new animals, 2 no longer here')
  await row(`Pet ${last - 3}`)
    .getByText('For Anna')
    .waitFor()
  await row(`Pet ${last - 4}`)
    .getByText('Deleted', { exact: true })
    .waitFor()
  expect(
    await row(`Pet ${last - 4}`)
      .getByRole('button', { name: 'Reserve' })
      .count(),
  ).toBe(0)
  expect([await listedIds(page), await places()]).toEqual(before)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await layoutProblems(page)).toEqual([])

  await go('2 new animals, 2 no longer here: Show')
  await row('Mia').waitFor()
  expect((await listedIds(page)).slice(0, 6)).toEqual([2, 1, 0, -1, -2, -5].map((n) => String(last + n)))
  expect(await page.evaluate('document.activeElement.id')).toBe('list')
  // What a person does on this page leaves the rows where they are, too.
  await beginSale(page, `Pet ${last}`)
  await press('Enter')
  await row(`Pet ${last}`).getByText('Sold', { exact: true }).waitFor()
  await show('1 no longer here').waitFor()
  // Whoever goes elsewhere and comes back finds the list as it is.
  await row(`Pet ${last - 1}`)
    .getByRole('link', { name: `Pet ${last - 1}` })
    .click()
  await page.getByRole('heading', { name: `Pet ${last - 1}` }).waitFor()
  await page.getByRole('button', { name: '← Animals' }).click()
  await row(`Pet ${last - 1}`).waitFor()
  expect(await row(`Pet ${last}`).count()).toBe(0)
})

test('while much happens, it is read together, and a list that is being fetched is fetched to its end', async () => {
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
  let asked = 0
  let listed = 0
  const cut: string[] = []
  page.on('request', (request) => isEvents(request.url()) && asked++)
  page.on('requestfailed', (request) => cut.push(request.url()))
  // Longer than the page waits before it fetches the list again.
  await page.route('**/v1/pets?**', async (route) => {
    await Bun.sleep(400)
    await route.continue().catch(() => undefined)
    listed++
  })
  const from = performance.now()
  let added = 0
  for (; listed < 3; added++) {
    await client.createPet({ name: `Luna ${added}`, categoryId: 7n })
    await Bun.sleep(5)
  }
  // Five times a second, and at once where a hundred more had happened.
  expect(asked).toBeLessThan((performance.now() - from) / 200 + added / 100 + 3)
  expect(cut).toEqual([])
})

test('an open dialog says that somebody was quicker, and keeps what was typed', async () => {
  await addPets(service, 2, 'available', 'available')
  await openFollowing()
  await page.getByRole('button', { name: 'Reserve Pet 1' }).click()
  await page.keyboard.type('Ann')
  await client.placeOrder({ petId: 1n })
  await dialog().getByText(`Pet 1 was ${RESERVED.toLowerCase()} a moment ago.`).waitFor()
  await page.keyboard.type('a')
  expect(await page.getByLabel('For whom').inputValue()).toBe('Anna')
  await press('Enter')
  await dialog().getByText('You have not reserved it.').waitFor()
})

test('a reservation that ends, and a key that is revoked, show by themselves', async () => {
  await addPets(service, 2, 'available', 'available')
  const minute = new Date(service.clock.at + 60_000).toISOString()
  await client.placeOrder({ petId: 1n, reference: 'Anna', expiresAt: minute })
  await openFollowing()
  await row('Pet 1').getByText('For Anna').waitFor()
  const marked = page.locator('tr.changed').waitFor()
  service.clock.at = Date.parse(minute)
  await marked
  await page.getByRole('button', { name: 'Reserve Pet 1' }).waitFor()
  // With the counts, the list has been fetched to its end.
  await page.getByRole('radio', { name: 'Available 2' }).waitFor()
  // Whoever waits for events hears of it, and not a list that is fetched later.
  const refused = page.waitForResponse((response) => response.status() === 401)
  await service.store.revokeKey((await service.store.findKey(hashKey(service.key)))?.id as bigint)
  expect((await refused).url()).toContain('/store/events')
  await alert().getByText(refusedKey('revoked').message).waitFor()
})

test('an edit undoes nothing that another till has changed meanwhile: it shows theirs and mine, field by field', async () => {
  await addPets(service, 2, 'available', 'available')
  const order = await client.placeOrder({ petId: 2n, reference: 'Ana' })
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
    expect.stringMatching(/^Nothing was changed: somebody else has changed this meanwhile\./),
  ])
  expect(await fields()).toEqual(['Bella', 9n])
  await dialog().getByRole('button', { name: 'Use theirs' }).click()
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Bella')
  await dialog().getByLabel('Name').fill('Mia')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Mia', exact: true }).waitFor()
  expect(await fields()).toEqual(['Mia', 9n])

  // Whom it is for is edited, and the end that they have set stays.
  await page.goto(`${service.origin}/?order=${order.id}`)
  await edit()
  const expiresAt = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000).toISOString()
  await client.updateOrder(order.id, { expiresAt })
  await dialog().getByLabel('For whom').fill('Anna')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await versions('Until').waitFor()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().waitFor({ state: 'hidden' })
  const { reference, expiresAt: end } = await client.getOrder(order.id)
  expect([reference, Date.parse(end ?? '')]).toEqual(['Anna', Date.parse(expiresAt)])

  // They are quicker than the second request of an edit.
  await edit()
  await overtake(page, `/store/orders/${order.id}`, () => client.updateOrder(order.id, { reference: 'Eva' }))
  await dialog().getByLabel('For whom').fill('Ada')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await versions('For whom').getByText('Eva').waitFor()
  expect((await client.getOrder(order.id)).reference).toBe('Eva')
  await page.goto(`${service.origin}/?animal=1`)
  await edit()
  await overtake(page, '/pets/1', () => client.updatePet(1n, { name: 'Bella' }))
  await dialog().getByLabel('Name').fill('Luna')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await versions('Name').getByText('Bella').waitFor()
  expect(await fields()).toEqual(['Bella', 9n])
})

test('after a restore, the feed begins again and the list is fetched', async () => {
  await addPets(service, 1, 'available', 'available')
  await openFollowing()
  const again = page.waitForRequest((request) => request.url().includes('from=now'))
  const { epoch } = await service.store.findEnd()
  await service.store.endEpoch(epoch)
  // Nothing tells this reader of it: its feed begins behind it.
  await client.placeOrder({ petId: 1n, reference: 'Anna' })
  await again
  await row('Pet 1').getByText('For Anna').waitFor()
})

test('eight tabs share one waiting request; when its tab is closed, another one waits', async () => {
  await addPets(service, 2, 'available', 'available')
  const waiting = new Set<object>()
  let most = 0
  page.context().on('request', (request) => {
    if (!isEvents(request.url())) return
    waiting.add(request)
    most = Math.max(most, waiting.size)
  })
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.context().on(end as 'requestfinished', (request) => waiting.delete(request))
  }
  await openSignedIn(page, service.key)
  const tabs = [page]
  while (tabs.length < 8) {
    const tab = await page.context().newPage()
    await tab.goto(`${service.origin}/`)
    await tab.getByText('2 animals').waitFor()
    tabs.push(tab)
  }
  const order = await client.placeOrder({ petId: 1n, reference: 'Anna' })
  await Promise.all(tabs.map((tab) => tab.getByText('For Anna').waitFor()))
  expect(most).toBe(1)
  waiting.clear()
  await page.close()
  await client.cancelOrder(order.id)
  await Promise.all(tabs.slice(1).map((tab) => tab.getByRole('button', { name: 'Reserve Pet 1' }).waitFor()))
  expect(most).toBe(1)
})

test('without a feed, the list is fetched every 15 seconds as before', async () => {
  await addPets(service, 2, 'available', 'available')
  let asked = 0
  await page.route(`**/v1/store/events**`, (route) => {
    asked++
    return route.fulfill({ status: 404, body: '{"code":"not_found","message":"Nothing.","status":404}' })
  })
  await page.clock.install()
  await openSignedIn(page, service.key)
  await page.getByText('2 animals').waitFor()
  await client.placeOrder({ petId: 1n, reference: 'Anna' })
  await page.clock.runFor(16_000)
  await row('Pet 1').getByText('For Anna').waitFor()
  expect(asked).toBe(1)
})
