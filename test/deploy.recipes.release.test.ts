// Runs the commands at the top of the examples in deploy/, in a folder that represents a clone.

import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { compose } from './support/examples.ts'
import { temporaryFile } from './support/files.ts'
import { root, run } from './support/process.ts'

/** The indented commands in the first comment of a file, up to the one that needs missing tools. */
function recipe(file: string, until: string): string {
  const [comment = ''] = /^(?:#.*\n)+/.exec(readFileSync(join(root, file), 'utf8')) ?? []
  const lines = [...comment.matchAll(/^# {3}(.*)$/gm)].map(([, line = '']) => line)
  const end = lines.findIndex((line) => line.startsWith(until))
  expect(end).toBeGreaterThan(0)
  // Skip the first line, which builds the image.
  return lines.slice(1, end).join('\n')
}

function clone(): string {
  const folder = mkdtempSync(temporaryFile('clone-'))
  for (const name of ['deploy', '.gitignore']) cpSync(join(root, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  symlinkSync(join(root, 'bin/petstore'), join(folder, 'dist/petstore'))
  return folder
}

test('the Compose recipe creates secrets that git ignores, and that only the owner and the image can read', async () => {
  const cwd = clone()
  const git = (...args: string[]) => run(args, { command: ['git'], cwd })
  await git('init', '--quiet')
  await git('add', '.')
  const ended = await run(['-ec', recipe('deploy/compose.yaml', 'docker compose')], { command: ['sh'], cwd })
  expect(ended).toEqual({ status: 0, stdout: '', stderr: '' })
  expect((await git('ls-files', '--others', '--exclude-standard')).stdout).toBe('')
  const { services, secrets } = compose()
  const textOf = (name: string) => readFileSync(join(cwd, 'deploy', secrets[name]?.file as string), 'utf8').trim()
  for (const { file } of Object.values(secrets)) {
    const path = join(cwd, 'deploy', file)
    const [{ uid, mode }, folder] = [statSync(path), statSync(join(path, '..'))]
    expect([uid, mode & 0o777, folder.mode & 0o777]).toEqual([process.getuid?.() as number, 0o644, 0o700])
  }
  expect(textOf('key')).toMatch(/^pets_live_\w+$/)
  const password = (name: string, role: string) =>
    new RegExp(`^postgres://${role}:([0-9a-f]{48})@postgres:5432/petstore$`).exec(textOf(name))?.[1] ?? name
  const passwords = [textOf('postgres-password'), password('owner', 'petstore_owner'), password('database', 'petstore')]
  expect(passwords.map((text) => text.length)).toEqual([48, 48, 48])
  expect(new Set(passwords).size).toBe(3)
  expect(textOf('webhook-secret')).toMatch(/^whsec_/)
  expect(services.petstore.secrets).toEqual(['database', 'key'])
})
