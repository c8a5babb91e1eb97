// Chromium from npm. A page records requests to other origins, logged errors and exceptions as complaints.

import { AxeBuilder } from '@axe-core/playwright'
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core'

/** Does not use the package's default flags, which disable protections that the tests check. */
export async function startBrowser(...flags: string[]): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', ...flags]
  const start = async () => playwright.launch({ executablePath: await chromium.executablePath(), args })
  // Chromium rarely crashes while it starts (SIGSEGV in libc).
  return start().catch(start)
}

export type Watched = Awaited<ReturnType<typeof openPage>>

/** The longest wait for one condition on a page. */
export const WAIT_MS = 60_000

/** Chromium logs every response from 400 on, and every failed request. Tests expect these logs. */
const ANSWERED = /^Failed to load resource: /

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const rate = Number(process.env.PETSTORE_TEST_CPU_RATE ?? 1)
  // Longer than a busy machine needs, and shorter than the limit of a test, so that the error shows the condition.
  context.setDefaultTimeout(WAIT_MS * rate)
  const page = await context.newPage()
  /** Errors and exceptions on the page, and requests to other origins. */
  const complaints: string[] = []
  /** Warnings in the console. */
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

/** The first seven rows have every status and kind of name, so axe skips the rest. */
const MORE_ROWS = '.rows tbody tr:nth-child(n+8)'

/**
 * Checks the rules of WCAG 2.2 AA and best practices, or only the rules in `only`, and returns each violation as `rule:
 * where`. Waits for animations, because they change colours.
 */
export async function accessibilityProblems(page: Page, only?: readonly string[]): Promise<string[]> {
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  // Do not load axe again.
  const isLoaded = await page.evaluate<boolean>("'axe' in window")
  const axe = new AxeBuilder({ page, ...(isLoaded ? { axeSource: '// Loaded.' } : {}) })
  // Skips frames, which the pages do not have, and passed rules. That halves the time.
  axe
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .exclude(MORE_ROWS)
  const { violations } = await (only ? axe.withRules([...only]) : axe).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
