// The pages below the path of a proxy, under a name and without TLS, as in a shop's network. There, browsers offer no clipboard, no locks and no brotli.

import { expect, test } from 'bun:test'
import { openPage, startBrowser } from '../../../test/support/browser.ts'
import { addPets, openAdding, openSignedIn, signOut, THREE_PAGES, tabTo } from '../../../test/support/console.ts'
import { startPrefixProxy } from '../../../test/support/prefix-proxy.ts'
import { type Service, startService } from '../../../test/support/service.ts'

test('below a path on plain http, the page signs in, adds, copies, turns pages, and opens the reference', async () => {
  let service: Service | undefined
  const proxy = startPrefixProxy(() => (service as Service).origin)
  const shop = `http://petstore.test:${new URL(proxy.origin).port}/shop/`
  service = await startService({ baseUrls: { production: `${shop}v1`, staging: undefined } })
  await addPets(service, THREE_PAGES, 'available', 'sold')
  const browser = await startBrowser('--host-resolver-rules=MAP petstore.test 127.0.0.1')
  const { page, complaints } = await openPage(browser, shop, { viewport: { width: 1440, height: 900 } })
  expect(await page.evaluate('isSecureContext')).toBe(false)
  await openSignedIn(page, service.key)
  await openAdding(page)
  await page.keyboard.type('Rex')
  await page.getByRole('dialog').getByLabel('Category', { exact: true }).fill('7')
  await page.keyboard.press('Enter')
  await page.getByText('Rex was added.').first().waitFor()
  await tabTo(page, 'Copy id 1')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Id 1 is copied.').waitFor()
  // Pasted by hand, because the page cannot read the clipboard here.
  await page.getByLabel('Search').focus()
  await page.keyboard.press('ControlOrMeta+V')
  expect(await page.getByLabel('Search').inputValue()).toBe('1')
  await page.keyboard.press('Escape')
  await page.waitForURL(shop)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.waitForURL(`${shop}?limit=*&cursor=*`)
  await page.reload()
  await page.getByText('· page 2', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.waitForURL(`${shop}?view=orders&status=pending`)

  await signOut(page)
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.waitForURL(shop)
  const opening = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'API reference' }).click()
  const reference = await opening
  await reference.getByText(`${shop}v1`).first().waitFor()
  // While it loads, the library writes the first section after `#`.
  expect(reference.url().replace(/#.*/, '')).toBe(`${shop}docs`)
  await reference.getByRole('link', { name: 'The animals' }).click()
  await reference.waitForURL(shop)
  expect(proxy.paths).toContain('/shop/names')
  expect(proxy.paths.filter((path) => !path.startsWith('/shop/'))).toEqual([])
  expect(complaints).toEqual([])
  await browser.close()
})
