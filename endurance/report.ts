// docs/reliability.md: one section an experiment, each written by its command when asked with `--report`.

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

const PAGE = join(import.meta.dir, '../docs/reliability.md')

const INTRODUCTION = `# Reliability

What was done to the service, and what came of it. Each section was written by the command it names, on the day and the machine it
names; run the command to see it again. \`--report\` writes the section anew. Shorter versions of all of them are part of \`npm test\`.
`

export interface Section {
  title: string
  /** What to type to see it again. */
  command: string
  /** Paragraphs, lists and tables in Markdown. */
  text: string
}

/** Puts the section in the place of the one with the same title, or at the end. */
export function writeSection({ title, command, text }: Section): void {
  const [, ...sections] = readPage().split(/^(?=## )/m)
  const written = `## ${title}\n\n\`${command}\`, ${circumstances()}:\n\n${text.trim()}\n`
  const at = sections.findIndex((section) => section.startsWith(`## ${title}\n`))
  sections.splice(at < 0 ? sections.length : at, at < 0 ? 0 : 1, written)
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
