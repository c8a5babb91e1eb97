// The pages behind a proxy that serves the service below a path of its own, in a real browser: nothing is asked for beside that path.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { openPage, startBrowser, type Watched } from '../../../test/support/browser.ts'
import { addPets, listedIds, openSignedIn, THREE_PAGES } from '../../../test/support/console.ts'
import { type PrefixProxy, startPrefixProxy } from '../../../test/support/prefix-proxy.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { PAGE_SIZE } from '../src/list/page-sizes.ts'

let browser: Browser
let service: Service
let proxy: PrefixProxy
let watched: Watched
beforeAll(async () => {
  browser = await startBrowser()
  proxy = startPrefixProxy(() => service.origin)
  service = await startService({ baseUrls: { production: `${proxy.origin}/shop/v1`, staging: undefined } })
  // More than are read on the way to an animal that was added long ago.
  await addPets(service, THREE_PAGES + 2_500, 'available', 'sold')
  watched = await openPage(browser, `${proxy.origin}/shop/`, { viewport: { width: 1440, height: 900 } })
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  await proxy?.stop()
})

test('the page signs in, turns its pages, survives a reload and changes its view', async () => {
  const { page } = watched
  await openSignedIn(page, service.key)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('· page 2', { exact: true }).waitFor()
  await page.waitForURL(`${proxy.origin}/shop/?cursor=*`)
  await page.reload()
  await page.getByText('· page 2', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.waitForURL(`${proxy.origin}/shop/?view=orders&status=pending`)
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.waitForURL(`${proxy.origin}/shop/`)
})

test('the reference opens from the page, names the address below the path, and leads back', async () => {
  const { page } = watched
  const opening = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Reference' }).click()
  const reference = await opening
  await reference.getByText(`${proxy.origin}/shop/v1`).first().waitFor()
  // Behind `#` the library writes the section in view, which while it loads may be the first.
  expect(reference.url().replace(/#.*/, '')).toBe(`${proxy.origin}/shop/docs`)
  await reference.getByRole('link', { name: 'The animals' }).click()
  await reference.waitForURL(`${proxy.origin}/shop/`)
})

test('what an import added long ago is looked up by its ids, and not read through all that is newer', async () => {
  const { page } = watched
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace(/^.*\/v1\//, '')))
  await page.goto(`${proxy.origin}/shop/?ids=3-${PAGE_SIZE + 4},${PAGE_SIZE + 21}`)
  await page.getByText(`${PAGE_SIZE} rows`).waitFor()
  expect((await listedIds(page)).slice(0, 2)).toEqual([String(PAGE_SIZE + 21), String(PAGE_SIZE + 4)])
  expect(asked.filter((path) => path === 'pets')).toHaveLength(1)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('3 rows').waitFor()
  expect(await listedIds(page)).toEqual(['5', '4', '3'])
})

test('signing out leads back to the start of the page', async () => {
  const { page } = watched
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.waitForURL(`${proxy.origin}/shop/`)
})

test('nothing was asked for beside the path, and the browser had nothing to complain about', () => {
  expect(proxy.paths.length).toBeGreaterThan(10)
  expect(proxy.paths.filter((path) => !path.startsWith('/shop/'))).toEqual([])
  expect(watched.complaints).toEqual([])
})
