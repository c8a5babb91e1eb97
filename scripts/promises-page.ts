// The catalogue of promises → docs/promises.md.

import { PROMISES } from '../src/promises/catalogue.ts'
import { LEVELS, type Level } from '../src/promises/promise.ts'

const INTRODUCTION = `# Promises

Written by \`npm run generate\` from the catalogue in \`src/promises/\`.

What a server promises, one sentence each: the list to work through for whoever makes another one. \`petstore verify\` checks them
([verify.md](verify.md)). An id never changes its meaning. W: the check adds pets (\`--write\`). R, O: it needs a second key
(\`--read-only-key\`, \`--other-key\`).
`

const HEADINGS: Record<Level, string> = {
  interface: 'What the interface document says, and nothing else',
  pets: 'What this project adds to the operations on pets',
  store: 'The store area',
}
const NEEDS = { write: 'W', 'read-only key': 'R', 'other key': 'O' }

/** The text of docs/promises.md. */
export function promisesPage(): string {
  return INTRODUCTION + LEVELS.map(section).join('')
}

function section(level: Level): string {
  const rows = PROMISES.filter((row) => row.level === level).map(({ id, promise, source, needs = [] }) => {
    const cells = [`\`${id}\``, promise, source, needs.map((need) => NEEDS[need]).join(' ')]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  })
  if (rows.length === 0) return ''
  return `\n## ${level}: ${rows.length}\n\n${HEADINGS[level]}.\n\n| Id | Promise | Where it stands | Needs |\n|---|---|---|---|\n${rows.join('')}`
}
