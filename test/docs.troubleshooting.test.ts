// docs/troubleshooting.md explains every warning and error of the log, and every alert.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const textOf = (path: string) => readFileSync(join(import.meta.dir, '..', path), 'utf8')

/** The code that begins each row or item of a section. */
function rowsOf(heading: string): string[] {
  const [, section = ''] = textOf('docs/troubleshooting.md').split(`\n## ${heading}\n`)
  const [items = ''] = section.split('\n## ')
  return [...items.matchAll(/^[|-] (`+)(.+?)\1(?: \||:)/gm)].map(([, , name = '']) => name).sort()
}

/** The messages that a file logs at `warn` or `error`, with `…` for each value. A call that cannot be read counts as a message. */
function warningsIn(path: string): string[] {
  const code = textOf(path)
  const calls = code.match(/\blog\??\.(?:warn|error)\(/g) ?? []
  const logged = [...code.matchAll(/\blog\??\.(?:warn|error)\(\s*(?:\{[^}]*\}|\w+),\s*(['"`])(.+?)\1,?\s*\)/g)]
  const lines = [...code.matchAll(/level: '(?:warn|error)',[^}]*\bmsg: (')(.+?)'/g)]
  const unread = logged.length === calls.length ? [] : [`${path}: a log call that this test cannot read`]
  return [...unread, ...[...logged, ...lines].map(([, , message = '']) => message.replaceAll(/\$\{.+?\}/g, '…'))]
}

test('has a row for each message at warn or error', () => {
  const files = [...new Bun.Glob('packages/{service,cli}/src/**/*.ts').scanSync(join(import.meta.dir, '..'))]
  const messages = [...new Set(files.flatMap(warningsIn))].sort()
  expect(messages.length).toBeGreaterThan(20)
  expect(rowsOf('Log messages')).toEqual(messages)
})

test('has a row for each alert', () => {
  const alerts = [...textOf('docs/monitoring/prometheus-rules.yaml').matchAll(/- alert: (\w+)/g)]
  expect(rowsOf('Alerts')).toEqual(alerts.map(([, name = '']) => name).sort())
})
