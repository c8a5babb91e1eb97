// Finds visible layout problems: text beyond the screen, text cut by its box, and overlapping text.

import type { Page } from 'playwright-core'

/** The problems of the open dialog, or else of the page, each with the text. */
export async function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(`(${find})()`)
}

/** Runs in the browser. Ignores truncated names, whose title has the text, and sticky elements. */
const find = `() => {
  const root = document.querySelector('dialog[open]') ?? document.body
  const problems = []
  const texts = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement
    const text = walker.currentNode.data.trim()
    if (!text || parent.closest('.visually-hidden, .skip-link, .name, .key-name, noscript, option, .step-label')) continue
    if (root === document.body && parent.closest('.list-foot, .waiting, dialog, .cell-clipped')) continue
    if (getComputedStyle(parent.closest('.dialog-actions, .running') ?? parent).position === 'sticky') continue
    if (!parent.checkVisibility({ visibilityProperty: true })) continue
    const range = document.createRange()
    range.selectNodeContents(walker.currentNode)
    for (const rect of range.getClientRects()) {
      if (rect.width < 2 || getComputedStyle(parent.closest('thead') ?? parent).clipPath !== 'none') continue
      if (rect.right > innerWidth + 1 || rect.left < -1) problems.push('beyond the screen: ' + text)
      for (let box = parent; box && box !== root; box = box.parentElement) {
        const { overflowX } = getComputedStyle(box)
        const outer = box.getBoundingClientRect()
        if (overflowX !== 'visible' && rect.right > outer.right + 1) problems.push('cut: ' + text)
      }
      texts.push({ text, rect })
    }
  }
  for (const [at, one] of texts.entries()) {
    for (const other of texts.slice(at + 1)) {
      const width = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
      const height = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
      // The boxes of adjacent lines can overlap without touching letters.
      if (width > 3 && height > one.rect.height / 3) problems.push('one over the other: ' + one.text + ' / ' + other.text)
    }
  }
  return problems
}`
