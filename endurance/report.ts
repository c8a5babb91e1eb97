// docs/reliability.md has one section for each experiment. The command of the experiment writes it with --report.

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

const DOCS = join(import.meta.dir, '../docs')
const PAGE = join(DOCS, 'reliability.md')

const INTRODUCTION = `# Reliability

Experiments that try to break the service, and their results. Each section names the command that wrote it, the day and the machine.
Run the command to repeat the experiment; with \`--report\` it replaces the section. \`npm test\` runs a short version of each.
`

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
  const [, ...sections] = readPage().split(/^(?=## )/m)
  const written = `## ${title}\n\n\`${command}\`, ${circumstances()}:\n\n${text.trim()}\n`
  const at = sections.findIndex((section) => section.startsWith(`## ${title}\n`))
  sections.splice(at < 0 ? sections.length : at, at < 0 ? 0 : 1, written)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(DOCS, name), content)
  writeFileSync(PAGE, [INTRODUCTION, ...sections.map((section) => `${section.trim()}\n`)].join('\n'))
}

function circumstances(): string {
  const cores = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const day = new Date().toISOString().slice(0, 10)
  return `${day}, Bun ${Bun.version}, Linux ${release().split('-')[0]}, ${cores.length} cores (${cores[0]?.model}), ${memory} GiB`
}

function readPage(): string {
  try {
    return readFileSync(PAGE, 'utf8')
  } catch {
    return INTRODUCTION
  }
}
