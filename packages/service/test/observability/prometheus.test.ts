// The histogram in Prometheus' text format.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Histogram } from '../../src/observability/prometheus.ts'

const BOUNDS = [0.1, 0.5, 1, 10]

test('a bucket counts the values of its series up to its bound', () => {
  const value = fc.oneof(fc.constantFrom(...BOUNDS), fc.double({ min: 0, max: 20, noNaN: true }))
  const observation = fc.tuple(fc.constantFrom('listPets', '/docs/{file}'), fc.constantFrom(200, 404), value)
  fc.assert(
    fc.property(fc.array(observation), (observations) => {
      const histogram = new Histogram('a', 'Some.', BOUNDS, 'operation', 'status')
      for (const [operation, status, seconds] of observations) histogram.series(operation, status).observe(seconds)
      const lines = histogram.text().split('\n')
      for (const [operation, status] of observations) {
        const values = observations.filter(([of, is]) => of === operation && is === status).map(([, , each]) => each)
        const labels = `operation="${operation}",status="${status}"`
        for (const bound of BOUNDS) {
          const count = values.filter((each) => each <= bound).length
          expect(lines).toContain(`a_bucket{${labels},le="${bound}"} ${count}`)
        }
        expect(lines).toContain(`a_bucket{${labels},le="+Inf"} ${values.length}`)
        expect(lines).toContain(`a_sum{${labels}} ${values.reduce((sum, each) => sum + each, 0)}`)
        expect(lines).toContain(`a_count{${labels}} ${values.length}`)
      }
    }),
    { numRuns: 50 },
  )
})

test('without labels, the output has no empty braces', () => {
  const histogram = new Histogram('asked', 'Some.', [1])
  histogram.series().observe(2)
  expect(histogram.text()).toBe(
    '# HELP asked Some.\n# TYPE asked histogram\nasked_bucket{le="1"} 0\nasked_bucket{le="+Inf"} 1\nasked_sum 2\nasked_count 1\n',
  )
})
