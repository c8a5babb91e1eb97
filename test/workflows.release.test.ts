// The workflows of .github/: permissions, pinned actions and valid scripts.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json'
import { SUMS } from '../scripts/release.ts'
import { root, run } from './support/process.ts'

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<
    string,
    { permissions: Record<string, string>; steps: { uses?: string; run?: string; env?: object; with?: object }[] }
  >
}

const folder = join(root, '.github/workflows')
const names = [...new Bun.Glob('*.yml').scanSync(folder)].sort()
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const workflows = names.map((name) => [name, Bun.YAML.parse(textOf(name)) as Workflow] as const)
const jobs = workflows.flatMap(([name, workflow]) =>
  Object.entries(workflow.jobs).map(([job, of]) => [`${name} ${job}`, of] as const),
)

test('every action is pinned to a commit, with its version in a comment', () => {
  const used = names.flatMap((name) => [...textOf(name).matchAll(/uses: (.*)$/gm)].map(([, action]) => action))
  expect(used.length).toBeGreaterThan(5)
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('only the jobs that publish have write permissions', () => {
  for (const [, { permissions }] of workflows) expect(permissions).toEqual({})
  const writes = (permissions: Record<string, string>) =>
    Object.keys(permissions).filter((one) => permissions[one] === 'write')
  const writing = jobs.map(([name, { permissions }]) => [name, writes(permissions)])
  const listed = writing.map((one) => one.flat().join(' ')).join(', ')
  expect(listed).toBe(
    'ci.yml test, ci.yml user, ci.yml start, image.yml image packages, nightly.yml experiments, nightly.yml macos, release.yml test, release.yml build, ' +
      'release.yml draft contents id-token attestations',
  )
})

test('only steps that need the token have it, and no checkout stores it', () => {
  for (const [name, { steps }] of jobs) {
    for (const { uses = '', run: script = '', env = {}, with: input = {} } of steps) {
      if (uses.startsWith('actions/checkout@'))
        expect([name, input]).toEqual([name, expect.objectContaining({ 'persist-credentials': false })])
      if ('GH_TOKEN' in env) expect(script).toMatch(/\bgh (release|attestation) |docker login/)
      // The value of an expression would become a part of the script.
      expect(script).not.toContain('${{')
    }
  }
})

test('every script is valid bash', async () => {
  for (const [name, { steps }] of jobs) {
    for (const { run: script } of steps) {
      const { stderr } = await run(['-n', '-c', script ?? ''], { command: ['bash'] })
      expect([name, stderr]).toEqual([name, ''])
    }
  }
})

test('the documented download check uses the checksum file of the release', () => {
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const checks = [textOf('release.yml'), textOf('image.yml'), page].flatMap((text) =>
    text.match(/sha256sum --check.*/g),
  )
  expect(checks.map((line) => /--check (?:--ignore-missing )?(\w+)/.exec(`${line}`)?.[1])).toEqual([SUMS, SUMS, SUMS])
})

test.each(['1.0.0', packageJson.version])(
  'the notes of release %s are its section of the changelog',
  async (version) => {
    const notes = (version: string) => run([join(root, 'scripts/release-notes.mjs'), version], { command: ['node'] })
    const { status, stdout } = await notes(version)
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    expect(status).toBe(0)
    expect(stdout.length).toBeGreaterThan(100)
    expect(changelog.slice(changelog.indexOf(`## ${version}`))).toContain(stdout.trim())
    expect(stdout).not.toMatch(/^## /m)
    expect(await notes('9.9.9')).toMatchObject({ status: 1, stdout: '' })
  },
)
