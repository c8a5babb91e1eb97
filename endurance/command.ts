// What the commands of the experiments share: options that are whole numbers or names, the report on the screen and, with --report,
// in docs/reliability.md, and the exit status.

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { parsedBy } from '../packages/service/src/cli/options.ts'
import { count } from '../packages/service/src/config/setting-parsers.ts'

const PAGE = join(import.meta.dir, '../docs/reliability.md')

export interface Experiment<Name extends string, Choice extends string = never> {
  /** `npm run endurance -- NAME` runs it. */
  name: string
  /** The heading of its section in docs/reliability.md. */
  title: string
  description: string
  /** Each takes a whole number from 1 to 999999: what it means, its default, and what the default means where the number does not say it. */
  options: Record<Name, [meaning: string, preset: number, presetMeaning?: string]>
  /** Each takes one or more of its names; when none is given the value is empty. */
  choices?: Record<Choice, [meaning: string, names: readonly string[]]>
  /** `keep` takes what is known so far, so that a run that is ended early has its report, too. Where it was called, it has all of the report. */
  run(values: Record<Name, number> & Record<Choice, string[]>, keep: (outcome: Outcome) => void): Promise<Outcome>
}

export interface Outcome {
  /** The heading of its section, where that is not the experiment's. */
  title?: string
  /** Markdown: what was done, what was counted, what went wrong. */
  text: string
  passed: boolean
}

/** Runs an experiment with the options of the command line. Resolves to the exit status: 0 if it passed, otherwise 1. */
export const experiment =
  <Name extends string, Choice extends string = never>(of: Experiment<Name, Choice>) =>
  (words: readonly string[]) =>
    runExperiment(of, words)

async function runExperiment<Name extends string, Choice extends string>(
  { name, title, description, options, choices, run }: Experiment<Name, Choice>,
  words: readonly string[],
): Promise<number> {
  const program = new Command(`npm run endurance -- ${name}`).description(description)
  const names = Object.keys(options) as Name[]
  for (const option of names) program.addOption(numberOption(option, options[option]))
  const chosen = Object.entries<[string, readonly string[]]>(choices ?? {})
  for (const [choice, [meaning, all]] of chosen)
    program.addOption(new Option(`--${choice} <names...>`, meaning).choices(all).default([], 'all'))
  program.option('--report', 'write the result into docs/reliability.md', false).allowExcessArguments(false)
  program.parse(words, { from: 'user' })
  const given = [...names, ...chosen.map(([choice]) => choice)].filter(
    (option) => program.getOptionValueSource(option) === 'cli',
  )
  const flags = given.map((option) => `--${option} ${shown(program.getOptionValue(option))}`)
  const command = [`npm run endurance -- ${name}`, ...flags].join(' ')
  let isKept = false
  const keep = (outcome: Outcome) => {
    isKept = true
    if (program.getOptionValue('report')) writeSection({ title, command, ...outcome })
  }
  const outcome = await run(program.opts<Record<Name, number> & Record<Choice, string[]>>(), keep)
  print(outcome.text)
  if (!isKept) keep(outcome)
  return outcome.passed ? 0 : 1
}

function shown(value: number | string[]): string {
  return typeof value === 'number'
    ? `${value}`
    : value.map((name) => (name.includes(' ') ? `'${name}'` : name)).join(' ')
}

function numberOption(name: string, [meaning, ...preset]: [string, number, string?]): Option {
  return new Option(`--${name} <number>`, meaning).argParser(parsedBy(count)).default(...preset)
}

/** A line on standard output: progress, while an experiment runs. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The last item of a report's list: the first 20 faults, or none. */
export function faultsLine(faults: readonly string[]): string {
  const shown = faults.slice(0, 20).join('; ')
  return `- Faults: ${faults.length === 0 ? 'none' : `${faults.length}: ${shown}${faults.length > 20 ? '; …' : ''}`}.`
}

interface Section {
  title: string
  /** Repeats the experiment. */
  command: string
  /** Paragraphs, lists and tables in Markdown. */
  text: string
}

/** Replaces the section with the same title, or adds it at the end. */
function writeSection({ title, command, text }: Section): void {
  const sections = readFileSync(PAGE, 'utf8').split(/^(?=## )/m)
  const written = `## ${title}\n\n${folded(`\`${command}\`, ${circumstances()}:\n\n${text.trim()}`)}\n`
  const at = sections.findIndex((section) => section.startsWith(`## ${title}\n`))
  sections.splice(at < 0 ? sections.length : at, at < 0 ? 0 : 1, written)
  writeFileSync(PAGE, sections.map((section) => `${section.trim()}\n`).join('\n'))
}

/** Lines of prose end before 120 characters; lines of a table may be longer. */
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
