// A picture of the command line: docs/first-minute.txt, set as a terminal shows it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'

/** Writes the picture to `path`; `root` is the project's folder. */
export async function terminalPicture(browser: Browser, root: string, path: string): Promise<void> {
  const text = readFileSync(join(root, 'docs/first-minute.txt'), 'utf8')
  const page = await browser.newPage({ viewport: { width: 1040, height: 400 } })
  await page.setContent(`<!doctype html><style>
    body { margin: 0; background: #1d1f21 }
    pre { margin: 0; padding: 20px 24px; color: #d8dadb; font: 14px/1.55 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap }
    b { color: #6fd0bb }
  </style><pre>${lineMarkup(text)}</pre>`)
  await page.screenshot({ path, fullPage: true })
  await page.close()
}

function lineMarkup(text: string): string {
  return Bun.escapeHTML(text).replaceAll(/^\$ ((?:.*\\\n)*.*)$/gm, '<b>$ $1</b>')
}
