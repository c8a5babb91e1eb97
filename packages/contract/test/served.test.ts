// The contract as served: the file with the addresses of this service.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type document from '../../../openapi.yaml'
import { type Service, startService } from '../../../test/support/service.ts'

const text = readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8')

const urls = ['https://pets.shop.example/v1', 'https://staging.shop.example/petstore/v1']
const service = await startService({ baseUrls: { production: urls[0], staging: urls[1] } })

const served = async (path: string, from: Service = service) => {
  const answer = await fetch(from.origin + path)
  expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'no-cache'])
  return { type: answer.headers.get('Content-Type'), text: await answer.text() }
}

test('/openapi.yaml is the file, with the configured addresses', async () => {
  const yaml = await served('/openapi.yaml')
  expect(yaml.type).toBe('application/yaml')
  const changed = yaml.text.split('\n').filter((line) => !text.split('\n').includes(line))
  expect(changed.map((line) => line.trim())).toEqual(urls.map((url) => `- url: "${url}"`))
})

test('/openapi.json has the same content, to the last digit', async () => {
  const json = await served('/openapi.json')
  expect(json.type).toBe('application/json')
  expect(boundsIn(json.text)).toEqual(boundsIn(text))
  expect(JSON.parse(json.text)).toEqual(Bun.YAML.parse((await served('/openapi.yaml')).text))
})

test('the first server of the contract is the listener if no address is configured', async () => {
  for (const [environment, description] of [
    ['production', 'Production'],
    ['staging', 'Staging'],
  ] as const) {
    const local = await startService({ environment })
    const { servers } = JSON.parse((await served('/openapi.json', local)).text) as typeof document
    expect(servers[0]).toEqual({ url: local.url, description })
    expect(servers[1]?.url).toEndWith('.example/v1')
    expect(Bun.YAML.parse((await served('/openapi.yaml', local)).text)).toMatchObject({ servers })
    await local.stop()
  }
})

/** Returns the bounds of numbers as text. */
function boundsIn(contract: string): string[] {
  return [...contract.matchAll(/(?:minimum|maximum)"?: ?(-?\d+)/g)].map(([, number = '']) => number)
}
