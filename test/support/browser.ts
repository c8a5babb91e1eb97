// A real browser for a test: Chromium from npm. A page opened here fails its test when it talks to another origin, logs an
// error that the test did not expect, or throws.

import { AxeBuilder } from '@axe-core/playwright'
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core'

/** The package's own flags are for places without processes or memory, and turn off protections that are tested here. */
export async function startBrowser(...flags: string[]): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', ...flags],
  })
}

export interface Watched {
  page: Page
  /** What the browser complained about and nobody expected; requests to other origins among it. */
  complaints: string[]
  /** Of the console. */
  warnings: string[]
  close: () => Promise<void>
}

/** The longest that a test waits for one thing on a page. */
export const WAIT_MS = 60_000

/** Chromium logs every answer of 400 and more, and every request that failed; those are the service's to give. */
const ANSWERED = /^Failed to load resource: /

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const rate = Number(process.env.PETSTORE_TEST_CPU_RATE ?? 1)
  // Far longer than a busy machine needs, and far shorter than a test may take: a wait that cannot end says what it waited for.
  context.setDefaultTimeout(WAIT_MS * rate)
  const page = await context.newPage()
  const complaints: string[] = []
  const warnings: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text())
    if (message.type() === 'error' && !ANSWERED.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'data:' && origin !== new URL(url).origin) complaints.push(`request to ${origin}`)
  })
  if (rate > 1) {
    const slow = async (opened: Page) =>
      (await context.newCDPSession(opened)).send('Emulation.setCPUThrottlingRate', { rate })
    await slow(page)
    context.on('page', (opened) => slow(opened).catch(() => undefined))
  }
  await page.goto(url)
  return { page, complaints, warnings, close: () => context.close() }
}

/** Of a long list: rows are alike, and the first seven have each status and each kind of name. */
const MORE_ROWS = '.rows tbody tr:nth-child(n+8)'

/** Rules of WCAG 2.2 AA and the best practices, or only these of them, each as `rule: where`. Colours are judged once nothing moves. */
export async function accessibilityProblems(page: Page, only?: readonly string[]): Promise<string[]> {
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  // Given a second time, axe would be parsed a second time.
  const isThere = await page.evaluate<boolean>("'axe' in window")
  const axe = new AxeBuilder({ page, ...(isThere ? { axeSource: '// There.' } : {}) })
  // Without frames, which our pages do not have, and without what passes: half of the work.
  axe
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .exclude(MORE_ROWS)
  const { violations } = await (only ? axe.withRules([...only]) : axe).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
