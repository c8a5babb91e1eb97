// What `petstore help` shows beside the commands: every setting, and the guides of docs/. A clone and the package have them as files, the
// executable has them inside.

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CLIENT_SETTINGS, SETTINGS, type Setting, VERIFY_SETTINGS } from '../config/settings.ts'

const MAX_COLUMNS = 100
const EXPLANATION_MIN = 20
const BELOW = 6

/** The guides by what a reader wants, as README.md has them. */
export const GROUPS = {
  Begin: ['orders', 'page'],
  'How to': ['operations', 'sqlite', 'postgresql', 'backups', 'testing', 'practice', 'verify', 'events'],
  Reference: ['configuration', 'cli', 'clients', 'compatibility'],
  Why: ['design', 'interface', 'reliability', 'performance', 'practice-clients'],
}

/** By the name that `petstore help` takes. */
export function guides(): Map<string, Blob> {
  const inside = Bun.embeddedFiles as (Blob & { name: string })[]
  const files = inside.length > 0 ? inside.map((file) => [file.name, file] as const) : beside()
  const named = files
    .filter(([path]) => path.endsWith('.md'))
    .map(([path, file]) => [basename(path, '.md'), file] as const)
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function beside(): [path: string, file: Blob][] {
  // In the package, in a clone.
  const folder = ['../docs', '../../../../docs'].map((path) => join(import.meta.dir, path)).find(existsSync)
  const paths = folder ? new Bun.Glob('*.md').scanSync({ cwd: folder, absolute: true }) : []
  return [...paths].map((path) => [path, Bun.file(path)])
}

/** Every setting, from the one table. */
export function settingsText(columns?: number): string {
  const list = (settings: Record<string, Setting<unknown>>) =>
    Object.values(settings).map(({ variable, flag, secret, default: preset, description }) => {
      const names = [variable, ...(secret ? [`${variable}_FILE`] : []), ...(flag ? [flag] : [])]
      return `${names.join(', ')}${preset ? ` (default ${preset})` : ''}\n${wrap(description, columns, '    ')}\n`
    })
  const calling = 'The commands that call a running service have these instead, and PETSTORE_HOST and PETSTORE_PORT:'
  return [
    ...list(SETTINGS),
    `${wrap(calling, columns)}\n`,
    ...list(CLIENT_SETTINGS),
    `${wrap('petstore verify examines any server, and has these:', columns)}\n`,
    ...list(VERIFY_SETTINGS),
  ].join('\n')
}

/** Markdown for a terminal: the same text without pictures, its lines as wide as the terminal. */
export function readable(markdown: string, columns?: number): string {
  return markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : prose(part, columns)))
    .join('')
}

function prose(text: string, columns?: number): string {
  return text
    .replaceAll(/^!\[.*\n\n|^\|[-|]+\|\n/gm, '')
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_link, name, target) =>
      target.startsWith(name) ? target : `${name} (${target})`,
    )
    .replaceAll(/([^\n])\n(?!$|\n| *(?:[#|]|- |\d+\. )) */g, '$1 ')
    .split('\n')
    .map((line) => wrap(line, columns, '', /^ *(?:- |\d+\. |\| )?/.exec(line)?.[0].length))
    .join('\n')
}

/** By words. Further lines are indented by `hanging`, too. */
export function wrap(text: string, columns = 80, indent = '', hanging = 0): string {
  const width = Math.min(columns, MAX_COLUMNS) - indent.length - hanging
  return indent + Bun.wrapAnsi(text, width, { trim: false }).replaceAll(/ *\n */g, `\n${indent}${' '.repeat(hanging)}`)
}

/** The help of a command for a terminal narrower than what commander and we have wrapped. An example stays one line, to be copied. */
export function folded(help: string, columns: number): string {
  return help
    .split('\n\n')
    .map((part) => {
      if (/^\s*Examples?:/.test(part)) return part
      return part
        .replaceAll(/(?<=[^:\n])\n(?=\S)/g, ' ')
        .split('\n')
        .map((line) => foldedLine(line, columns))
        .join('\n')
    })
    .join('\n\n')
}

/** The text on a flag or a command is right of it, or below it where that is too narrow. */
function foldedLine(line: string, columns: number): string {
  if (line.length <= columns) return line
  const [lead = ''] = /^ *(?:\S.*? {2,}(?=\S))?/.exec(line) ?? []
  const isBeside = columns - lead.length >= EXPLANATION_MIN
  const indent = ' '.repeat(isBeside ? lead.length : BELOW)
  const text = Bun.wrapAnsi(line.slice(lead.length), columns - indent.length, { hard: true })
  return (isBeside ? lead : `${lead.trimEnd()}\n${indent}`) + text.replaceAll('\n', `\n${indent}`)
}
