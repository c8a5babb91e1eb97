// What the tests of the page at `/` share: getting in, and getting around by keyboard alone.

import type { Page } from 'playwright-core'

/** As a person would: the key is typed where the focus already is. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.keyboard.type(key)
  await page.keyboard.press('Enter')
}

export async function openSignedIn(page: Page, key: string): Promise<void> {
  await signIn(page, key)
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
}

const STEPS_MAX = 150

/** Presses Tab until the focus is on what has this name. Throws when it never is. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    if ((await focusedName(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${name}`)
}

/** What a screen reader would call the focused element: its label, or its text. */
export async function focusedName(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const element = document.activeElement
    const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
    return label.trim()
  })()`)
}

export async function openAdding(page: Page): Promise<void> {
  await tabTo(page, 'Add an animal')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
}

/** The ids in the table, top to bottom. */
export async function listedIds(page: Page): Promise<string[]> {
  return page.locator('.pets:not(.loading) tbody .cell-id .mono').allInnerTexts()
}
