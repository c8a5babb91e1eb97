// The audit of the packages by npm, against a local registry with known vulnerabilities.

import { expect, test } from 'bun:test'
import { audit } from '../scripts/audit.ts'
import { startFake } from './support/fake.ts'
import { root } from './support/process.ts'

/** The vulnerabilities in the registry; `undefined` if it does not support audits. */
const AT = 'https://example.org/1'
let advisories: Record<string, object[]> | undefined
const registry = startFake(({ url }) => {
  if (!url.endsWith('/advisories/bulk')) return Response.json({}, { status: 404 })
  return advisories ? Response.json(advisories) : new Response(null, { status: 405 })
})

const audited = () => audit(root, `${registry.url}/`)

test('the audit passes without vulnerabilities', async () => {
  advisories = {}
  expect(await audited()).toEqual({ outcome: 'ok', report: '' })
})

test('the audit fails for a vulnerability of high severity, and names it', async () => {
  advisories = { commander: [{ id: 1, url: AT, title: 'Bad', severity: 'high', vulnerable_versions: '*' }] }
  const { outcome, report } = await audited()
  expect(outcome).toBe('failed')
  expect(report).toContain('commander: high: Bad (https://example.org/1)')
})

test('the audit passes with a vulnerability of low severity', async () => {
  advisories = { commander: [{ id: 2, url: AT, title: 'Bad', severity: 'low', vulnerable_versions: '*' }] }
  expect((await audited()).outcome).toBe('ok')
})

test('the audit is skipped, with the reason, if the registry does not support audits', async () => {
  advisories = undefined
  expect(await audited()).toEqual({ outcome: 'skipped', report: expect.stringContaining('405') })
})
