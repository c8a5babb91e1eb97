// Our histogram, held against prom-client's: the same values, the same series.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Histogram as Reference, Registry } from 'prom-client'
import { Histogram } from '../src/observability/histogram.ts'

const BOUNDS = [0.1, 0.5, 1, 10]

test('tells what prom-client’s would tell', async () => {
  const value = fc.oneof(fc.constantFrom(...BOUNDS), fc.double({ min: 0, max: 20, noNaN: true }))
  const observation = fc.tuple(fc.constantFrom('listPets', '/docs/{file}'), fc.constantFrom(200, 404), value)
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const registry = new Registry()
      const ours = new Histogram({ name: 'asked', help: 'Some.', labels: ['operation', 'status'], bounds: BOUNDS })
      const labelNames = ['operation', 'status']
      const options = { name: 'asked', help: 'Some.', labelNames, buckets: BOUNDS, registers: [registry] }
      const reference = new Reference(options)
      for (const [operation, status, value] of observations) {
        ours.series(operation, status).observe(value)
        reference.labels(operation, String(status)).observe(value)
      }
      expect(lines(ours.text())).toEqual(lines(await registry.metrics()))
    }),
    { numRuns: 50 },
  )
})

test('without labels there are no empty braces', () => {
  const histogram = new Histogram({ name: 'asked', help: 'Some.', labels: [], bounds: [1] })
  histogram.series().observe(2)
  expect(histogram.text()).toBe(
    '# HELP asked Some.\n# TYPE asked histogram\nasked_bucket{le="1"} 0\nasked_bucket{le="+Inf"} 1\nasked_sum 2\nasked_count 1\n',
  )
})

/** Labels and lines in any order. */
function lines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .sort()
}
