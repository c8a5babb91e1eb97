// Takes the pictures of README and docs from the running program. Each picture has its own service, with the sample pets.

import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { PetstoreClient } from '../packages/client/src/petstore.ts'
import { addSamples } from '../packages/client/src/samples.ts'
import { Names } from '../packages/service/src/domain/names.ts'
import { openPage, startBrowser } from '../test/support/browser.ts'
import { firstRows, openAdding, openSignedIn } from '../test/support/console.ts'
import { startService } from '../test/support/service.ts'

const root = join(import.meta.dir, '..')
const WIDE: BrowserContextOptions = { viewport: { width: 1180, height: 760 } }

const CATEGORIES = ['Dogs', 'Cats', 'Birds', 'Fish', 'Small mammals', 'Reptiles', 'Hamsters']
const NAMES = new Names(
  'Petstore',
  CATEGORIES.map((name, n) => ({ id: BigInt(n + 1), name })),
)
const browser = await startBrowser()

await picture('page-list.png', WIDE, list)
await picture('page-add.png', WIDE, async (page) => {
  await list(page)
  await openAdding(page)
  await page.keyboard.type('   ')
  await page.getByRole('dialog').getByLabel('Category', { exact: true }).fill('99999999999999999999')
  await page.keyboard.press('Enter')
  await page.getByText('Category must be').waitFor()
})
await picture('page-reserve.png', WIDE, async (page) => {
  await press(page, 'Reserve Biscuit')
  await page.keyboard.type('Anna')
})
await picture('page-orders.png', WIDE, async (page) => {
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('radio', { name: 'All' }).check()
  await page.getByText(firstRows()).waitFor()
})
await picture('page-sales.png', WIDE, async (page, client) => {
  await soldAndTakenBack(client)
  await page.getByRole('link', { name: 'Sales' }).click()
  await page.locator('.sales').getByRole('link', { name: 'Biscuit' }).first().waitFor()
})
await picture('page-import.png', WIDE, async (page) => {
  await press(page, 'Import')
  const animals = ['Rex;7;;A', 'Mia;7;Reserved;A', ...Array(24).fill('Koi;12;;B'), 'Tom;cats;;A', ';7;;A']
  const rows = ['Item Name;Kind;Status;Shelf', ...animals]
  const buffer = Buffer.from(rows.join('\n'))
  await page.getByLabel('CSV file').setInputFiles({ name: 'animals.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('Category column').selectOption('Kind')
  await page.locator('.import-rows tbody tr').first().waitFor()
})
await picture('reference.png', { viewport: { width: 1440, height: 860 } }, async (page) => {
  await page.goto(`${new URL(page.url()).origin}/docs`)
  const heading = page.getByRole('heading', { name: 'Place an order' }).first()
  await heading.waitFor()
  await heading.evaluate((element) => element.scrollIntoView({ block: 'start' }))
  await page.mouse.wheel(0, -100)
  await page.getByText('beta').first().waitFor()
  await page.waitForTimeout(1000)
})
await browser.close()

/** Shows the list after adding a pet. */
async function list(page: Page): Promise<void> {
  await openAdding(page)
  await page.keyboard.type('Rex')
  await page.getByRole('dialog').getByLabel('Category', { exact: true }).fill('9223372036854775807')
  await page.keyboard.press('Enter')
  await page.getByText('Rex was added.').first().waitFor()
  await page.mouse.move(0, 0)
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name }).click()
}

/** Shows Biscuit, which was sold and returned. */
async function soldAndTakenBack(client: PetstoreClient): Promise<void> {
  const expiresAt = new Date(Date.now() + 7_200_000).toISOString()
  const { id } = await client.placeOrder({ petId: 1n, reference: 'Anna', expiresAt })
  await client.completeOrder(id)
  await client.returnOrder(id)
}

/** Writes the picture that `show` prepares on a signed-in page. */
async function picture(
  name: string,
  options: BrowserContextOptions,
  show: (page: Page, client: PetstoreClient) => Promise<void>,
): Promise<void> {
  const service = await startService({ names: NAMES })
  service.clock.at = Date.now()
  const key = await service.addKey({ name: 'till 3' })
  const client = new PetstoreClient({ baseUrl: service.url, apiKey: key })
  await Array.fromAsync(addSamples(client))
  const { page, close } = await openPage(browser, `${service.origin}/`, options)
  await openSignedIn(page, key)
  await show(page, client)
  await page.screenshot({ path: join(root, 'docs/images', name) })
  process.stdout.write(`wrote docs/images/${name}\n`)
  await close()
  await service.stop()
}
