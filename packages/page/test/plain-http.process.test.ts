// The page under a name and without TLS, as in a shop's own network: browsers then withhold some of what they offer on
// https and localhost, the clipboard and brotli among it.

import { expect, test } from 'bun:test'
import { openPage, startBrowser } from '../../../test/support/browser.ts'
import { openAdding, openSignedIn, tabTo } from '../../../test/support/console.ts'
import { startService } from '../../../test/support/service.ts'

test('signing in, adding and copying work on plain http, too', async () => {
  const service = await startService()
  const browser = await startBrowser('--host-resolver-rules=MAP petstore.test 127.0.0.1')
  const { page, complaints } = await openPage(browser, `http://petstore.test:${service.port}/`)
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
  // Pasted by hand: a page may not read the clipboard here.
  await page.getByLabel('Search').focus()
  await page.keyboard.press('ControlOrMeta+V')
  expect(await page.getByLabel('Search').inputValue()).toBe('1')
  expect(complaints).toEqual([])
  await browser.close()
  await service.stop()
})
