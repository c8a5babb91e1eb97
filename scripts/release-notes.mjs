// Prints the notes of a release: the section of its version in CHANGELOG.md. Fails if there is none. Runs on Node, because the workflow needs
// it before anything is installed.

import { readFileSync } from 'node:fs'

const [, , version] = process.argv
const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
const part = changelog.split(/^## /m).find((text) => text.split(/\s/, 1)[0] === version)
const notes = part?.slice(part.indexOf('\n')).trim()
if (!notes) {
  process.stderr.write(`CHANGELOG.md has no section for version ${version}.\n`)
  process.exit(1)
}
process.stdout.write(`${notes}\n`)
