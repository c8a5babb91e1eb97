// The audit of the packages by npm, against a local registry with known vulnerabilities.

import { expect, test } from 'bun:test'
import { audit } from '../scripts/audit.ts'
import { startFake } from './support/fake.ts'
import { root } from './support/process.ts'

const AT = 'https://example.org/1'
/** The vulnerabilities in the registry; `undefined` if it does not support audits. */
let advisories: Record<string, object[]> | undefined
const registry = startFake(({ url }) => {
  if (!url.endsWith('/advisories/bulk')) return Response.json({}, { status: 404 })
  return advisories ? Response.json(advisories) : new Response(null, { status: 405 })
})

/** npm caches an advisory by its id. */
const vulnerable = (id: number, severity: string) => ({
  commander: [{ id, url: AT, title: 'Bad', severity, vulnerable_versions: '*' }],
})

test.each([
  ['passes without vulnerabilities', {}, 'ok', /^$/],
  [
    'fails for one of high severity, and shows it',
    vulnerable(1, 'high'),
    'failed',
    /commander: high: Bad \(https:\/\/ex/,
  ],
  ['passes with one of low severity', vulnerable(2, 'low'), 'ok', /^$/],
  ['is skipped, with the reason, if the registry does not support audits', undefined, 'skipped', /405/],
] as const)('the audit %s', async (_what, found, outcome, report) => {
  advisories = found as typeof advisories
  expect(await audit(root, `${registry.url}/`)).toEqual({ outcome, report: expect.stringMatching(report) })
})
