// docs/reliability.md has one section for each experiment, behind what it says to readers. The command of the experiment
// writes it with --report.

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

const DOCS = join(import.meta.dir, '../docs')
const PAGE = join(DOCS, 'reliability.md')

export interface Section {
  title: string
  /** Repeats the experiment. */
  command: string
  /** Paragraphs, lists and tables in Markdown. */
  text: string
  /** File name → content, written beside the page. */
  files?: Record<string, string>
}

/** Replaces the section with the same title, or adds it at the end. */
export function writeSection({ title, command, text, files = {} }: Section): void {
  const sections = readFileSync(PAGE, 'utf8').split(/^(?=## )/m)
  const written = `## ${title}\n\n${folded(`\`${command}\`, ${circumstances()}:\n\n${text.trim()}`)}\n`
  const at = sections.findIndex((section) => section.startsWith(`## ${title}\n`))
  sections.splice(at < 0 ? sections.length : at, at < 0 ? 0 : 1, written)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(DOCS, name), content)
  writeFileSync(PAGE, sections.map((section) => `${section.trim()}\n`).join('\n'))
}

/** Lines of prose end before 120 characters; those of a table cannot. */
function folded(text: string): string {
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('|')) return line
    return Bun.wrapAnsi(line, 117).replaceAll('\n', line.startsWith('- ') ? '\n  ' : '\n')
  })
  return lines.join('\n')
}

function circumstances(): string {
  const cores = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const day = new Date().toISOString().slice(0, 10)
  return `${day}, Bun ${Bun.version}, Linux ${release().split('-')[0]}, ${cores.length} cores (${cores[0]?.model}), ${memory} GiB`
}
