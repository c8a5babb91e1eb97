// The audit of the packages, by npm itself, against a registry of our own that knows what the test tells it.

import { afterAll, expect, test } from 'bun:test'
import { audit } from '../scripts/audit.ts'
import { root } from './support/process.ts'

/** What the registry knows: `undefined` is a registry that answers no audits. */
let advisories: Record<string, object[]> | undefined
const registry = new Worker(
  URL.createObjectURL(
    new Blob([
      `const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => {
         if (!request.url.endsWith('/advisories/bulk')) return Response.json({}, { status: 404 })
         return self.advisories ? Response.json(self.advisories) : new Response(null, { status: 405 })
       } })
       self.onmessage = ({ data }) => { self.advisories = data; postMessage(server.url.href) }`,
    ]),
  ),
)
afterAll(() => registry.terminate())

/** npm is waited for, so the registry answers from a thread of its own. */
async function audited() {
  const url = await new Promise<string>((resolve) => {
    registry.onmessage = ({ data }) => resolve(data)
    registry.postMessage(advisories)
  })
  return audit(root, url)
}

test('no vulnerabilities: ok', async () => {
  advisories = {}
  expect(await audited()).toEqual({ outcome: 'ok', report: '' })
})

test('a high one: failed, with its name', async () => {
  advisories = {
    commander: [{ id: 1, url: 'https://example.org/1', title: 'Bad', severity: 'high', vulnerable_versions: '*' }],
  }
  const { outcome, report } = await audited()
  expect(outcome).toBe('failed')
  expect(report).toContain('commander: high: Bad (https://example.org/1)')
})

test('a low one: ok', async () => {
  advisories = {
    commander: [{ id: 2, url: 'https://example.org/2', title: 'Bad', severity: 'low', vulnerable_versions: '*' }],
  }
  expect((await audited()).outcome).toBe('ok')
})

test('a registry that answers no audits: skipped, and why', async () => {
  advisories = undefined
  expect(await audited()).toEqual({ outcome: 'skipped', report: expect.stringContaining('405') })
})
