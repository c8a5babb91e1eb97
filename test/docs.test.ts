// The documents for developers: every link of theirs leads somewhere, and every file they name is there.

import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dir, '..')
const documents = ['*.md', 'docs/*.md', 'bench/*.md'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])

for (const document of documents) {
  const text = readFileSync(join(root, document), 'utf8')

  test(`${document}: every link has a target`, () => {
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    expect(targets.filter((target) => !/^\w+:/.test(target) && !leads(document, target))).toEqual([])
  })

  test(`${document} names only files that exist`, () => {
    const files = [...text.matchAll(/(?<![\w/.-])(?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs|sql|ya?ml|md)\b/g)].map(
      ([file]) => file,
    )
    expect(files.filter((file) => !['', 'src', 'docs'].some((base) => existsSync(join(root, base, file))))).toEqual([])
  })
}

/** A file, and where the link names a heading of it, the heading. */
function leads(document: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? join(root, document) : join(root, dirname(document), path)
  if (!existsSync(file)) return false
  return heading === undefined || headings(readFileSync(file, 'utf8')).includes(heading)
}

/** As GitHub names them. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  )
}
