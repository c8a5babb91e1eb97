// The page with numbers that a JavaScript number cannot hold, from a file that holds them.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openPage, startBrowser } from '../../../test/support/browser.ts'
import { listedIds, openSignedIn, tabTo } from '../../../test/support/console.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { startService } from '../../../test/support/service.ts'

test('ids and categories beyond 2^53 are shown, looked up and copied exactly', async () => {
  const address = temporaryFile('petstore.db')
  const service = await startService({ address })
  using database = new Database(address)
  const ids = ['9007199254740993', '9223372036854775806', '9223372036854775807']
  for (const id of ids) {
    database.run(`INSERT INTO pets (id, name, category_id, status, created_at, created_by)
                  VALUES (${id}, 'Pet ${id}', -9223372036854775808, 'sold', 0, 1)`)
    database.run(`INSERT INTO events (type, at, key_id, pet_id, pet_status, pet)
                  SELECT 'pet.added', 0, 1, id, status, json_object('name', name, 'categoryId', category_id)
                  FROM pets WHERE id = ${id}`)
  }
  const browser = await startBrowser()
  const { page, complaints } = await openPage(browser, `${service.origin}/`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openSignedIn(page, service.key)
  await page.getByText('3 animals').waitFor()
  expect(await listedIds(page)).toEqual(ids)
  expect(await page.getByText('-9223372036854775808', { exact: true }).count()).toBe(3)

  await tabTo(page, 'Search')
  await page.keyboard.type('9223372036854775807')
  await page.getByRole('region', { name: 'Pet 9223372036854775807' }).waitFor()
  await tabTo(page, 'Copy id 9223372036854775807')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('is copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('9223372036854775807')
  expect(complaints).toEqual([])
  await browser.close()
  await service.stop()
})
