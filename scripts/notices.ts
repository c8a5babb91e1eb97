// Collects the third-party notices for our packages, the executable and the image: licences of the bundled packages and of Bun, whose licence
// is only in the package of its types.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json'
import { dependencies as ofCommands } from '../packages/cli/package.json'
import { dependencies as ofPages } from '../packages/page/package.json'
import { dependencies as ofService } from '../packages/service/package.json'

/** The file name of the notices. */
export const NOTICES = 'THIRD-PARTY-NOTICES.txt'

const root = join(import.meta.dir, '..')
const LINE = '='.repeat(80)

interface Manifest {
  name: string
  version: string
  license?: string
  author?: string | { name: string }
  /** Only of the library of the reference, which package-lock.json does not list. */
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export function notices(): string {
  // A package can be installed in several places.
  const parts = new Set([...carriedPackages().map(([folder, manifest]) => noticeOf(folder, manifest)), noticeOfBun()])
  return `What others wrote and petstore carries. Bun is in the executable and the image alone; the other parts are in the package, too.
petstore-client carries nothing of others.

${[...parts].map((part) => `${LINE}\n${part.trimEnd()}\n`).join('\n')}`
}

/** The direct and indirect dependencies of our packages, and the library of the reference, with their folders. */
export function carriedPackages(): [folder: string, Manifest][] {
  const found = new Map<string, Manifest>()
  const add = (name: string, from: string): void => {
    const folder = [join(from, 'node_modules', name), join(root, 'node_modules', name)].find(isPackage)
    // An optional package for another system.
    if (!folder || found.has(folder)) return
    const manifest = manifestOf(folder)
    found.set(folder, manifest)
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies }
    for (const each of Object.keys(needed)) add(each, folder)
  }
  for (const name of Object.keys({ ...ofService, ...ofCommands, ...ofPages })) add(name, root)
  const library = join(root, 'packages/page/reference/library')
  found.set(library, manifestOf(library))
  return [...found].sort(([, one], [, other]) => (one.name < other.name ? -1 : 1))
}

function isPackage(folder: string): boolean {
  try {
    return manifestOf(folder).name !== undefined
  } catch {
    return false
  }
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function noticeOf(folder: string, { name, version, license, author }: Manifest): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const by = typeof author === 'string' ? author : author?.name
  if (texts.length === 0) {
    if (license !== 'MIT')
      throw new Error(`${name} contains no licence text (${license}). Add the text to scripts/notices.ts.`)
    texts.push(
      `The package has no file of its licence. It names MIT${by ? `, and as its author ${by}` : ''}.\n\n${mitTerms()}`,
    )
  }
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}`
}

/** Our own packages. */
function mitTerms(): string {
  const text = readFileSync(join(root, 'LICENSE'), 'utf8')
  return text.slice(text.indexOf('Permission is hereby granted')).trim()
}

function noticeOfBun(): string {
  const folder = join(root, 'node_modules/bun-types')
  const page = readFileSync(join(folder, 'docs/project/license.mdx'), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
  return `Bun ${packageJson.devDependencies.bun} (MIT; what it carries has licences of its own)

From the documents of Bun ${manifestOf(folder).version}. Bun's own terms:

${mitTerms()}

${page.trim()}`
}
