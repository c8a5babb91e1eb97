// The pages behind a proxy that serves the service below a path of its own, in a real browser: nothing is asked for beside that path.

import { expect, test } from 'bun:test'
import { openPage, startBrowser } from '../../../test/support/browser.ts'
import { addPets, openSignedIn, THREE_PAGES } from '../../../test/support/console.ts'
import { startPrefixProxy } from '../../../test/support/prefix-proxy.ts'
import { type Service, startService } from '../../../test/support/service.ts'

test('the page signs in, turns its pages, changes its view, opens the reference and signs out below the path', async () => {
  let service: Service | undefined
  const proxy = startPrefixProxy(() => (service as Service).origin)
  const browser = await startBrowser()
  service = await startService({ baseUrls: { production: `${proxy.origin}/shop/v1`, staging: undefined } })
  await addPets(service, THREE_PAGES, 'available', 'sold')
  const shop = `${proxy.origin}/shop/`
  const { page, complaints } = await openPage(browser, shop, { viewport: { width: 1440, height: 900 } })
  await openSignedIn(page, service.key)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.waitForURL(`${shop}?limit=*&cursor=*`)
  await page.reload()
  await page.getByText('· page 2', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.waitForURL(`${shop}?view=orders&status=pending`)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.waitForURL(shop)
  const opening = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'API reference' }).click()
  const reference = await opening
  await reference.getByText(`${shop}v1`).first().waitFor()
  // Behind `#` the library writes the section in view, which while it loads may be the first.
  expect(reference.url().replace(/#.*/, '')).toBe(`${shop}docs`)
  await reference.getByRole('link', { name: 'The animals' }).click()
  await reference.waitForURL(shop)
  expect(proxy.paths).toContain('/shop/names')
  expect(proxy.paths.filter((path) => !path.startsWith('/shop/'))).toEqual([])
  expect(complaints).toEqual([])
  await browser.close()
})
