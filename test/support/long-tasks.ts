// How long a page of the browser could not answer: its longest task, of those over 50 ms, which browsers call long.

import type { Page } from 'playwright-core'

export async function watchTasks(page: Page): Promise<void> {
  await page.evaluate(`window.longTasks = []; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration)
  }).observe({ type: 'longtask' })`)
}

/** Milliseconds, since the last call; 0 where none was long. */
export async function longestTask(page: Page): Promise<number> {
  return page.evaluate('Math.max(0, ...window.longTasks.splice(0))')
}
