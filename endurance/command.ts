// Parses an experiment's options, prints its progress to stderr and its report as Markdown to stdout, and returns the exit status.

import { cpus, release, totalmem } from 'node:os'
import { Command, Option } from 'commander'
import { parsedBy } from '../packages/cli/src/terminal/options.ts'
import { count } from '../packages/service/src/config/setting-parsers.ts'

interface Experiment<Name extends string, Choice extends string = never> {
  /** `npm run endurance -- NAME` runs it. */
  name: string
  /** The heading of its report. */
  title: string
  description: string
  /** Whole numbers from 1 to 999999, with their defaults. Give `presetMeaning` if the default's number does not explain itself. */
  options: Record<Name, readonly [meaning: string, preset: number, presetMeaning?: string]>
  /** Each takes one or more of its names. The value is empty if the option is missing. */
  choices?: Record<Choice, [meaning: string, names: readonly string[]]>
  run(values: Record<Name, number> & Record<Choice, string[]>): Promise<Outcome>
}

export interface Outcome {
  /** The work, the figures and the faults as Markdown. */
  text: string
  passed: boolean
}

/** Runs an experiment with the options of the command line. Resolves to the exit status: 0 if it passed, otherwise 1. */
export const experiment =
  <Name extends string, Choice extends string = never>(of: Experiment<Name, Choice>) =>
  async (words: readonly string[]): Promise<number> => {
    const program = new Command(`npm run endurance -- ${of.name}`).description(of.description)
    for (const [name, [meaning, ...preset]] of Object.entries<readonly [string, number, string?]>(of.options))
      program.addOption(new Option(`--${name} <number>`, meaning).argParser(parsedBy(count)).default(...preset))
    for (const [name, [meaning, names]] of Object.entries<[string, readonly string[]]>(of.choices ?? {}))
      program.addOption(new Option(`--${name} <names...>`, meaning).choices(names).default([], 'all'))
    program.allowExcessArguments(false).parse(words, { from: 'user' })
    const { text, passed } = await of.run(program.opts())
    const given = words.map((word) => (word.includes(' ') ? `'${word}'` : word))
    const command = ['npm run endurance --', of.name, ...given].join(' ')
    const report = `## ${of.title}\n\n\`${command}\`, ${circumstances()}:\n\n${text.trim()}\n`
    // Lines of prose end before 120 characters; lines of a table may be longer.
    process.stdout.write(report.replace(/^[^|].*$/gm, (line) => Bun.wrapAnsi(line, 117)))
    return passed ? 0 : 1
  }

/** Prints a line of progress. */
export function print(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Returns the last item of a report's list: up to 20 faults. */
export function faultsLine(faults: readonly string[]): string {
  const shown = faults.slice(0, 20).join('; ')
  return `- Faults: ${faults.length === 0 ? 'none' : `${faults.length}: ${shown}${faults.length > 20 ? '; …' : ''}`}.`
}

function circumstances(): string {
  const cores = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const day = new Date().toISOString().slice(0, 10)
  return `${day}, Bun ${Bun.version}, Linux ${release().split('-')[0]}, ${cores.length} cores (${cores[0]?.model}), ${memory} GiB`
}
