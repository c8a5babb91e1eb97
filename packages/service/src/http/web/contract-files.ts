// The contract as YAML and as JSON, with this service's own addresses. Served outside /v1 and without a key.

import { contractFor } from '../../../../contract/src/contract.ts'
import { SECURITY_HEADERS } from '../response/shared-headers.ts'
import { Route } from '../route.ts'
import { lazy, StaticFile } from './static-file.ts'

/** As `contractFor` takes them. */
export type ServerAddresses = () => Parameters<typeof contractFor>

export function contractFiles(addresses: ServerAddresses): Route[] {
  return [contractFile('yaml', addresses), contractFile('json', addresses)]
}

function contractFile(format: 'yaml' | 'json', addresses: ServerAddresses): Route {
  // The addresses are known only when the server listens.
  const file = lazy(() => StaticFile.of(contractFor(...addresses())[format], `application/${format}`, 'revalidated'))
  return new Route(`/openapi.${format}`, {
    GET: async ({ request }) => (await file()).answer(request, SECURITY_HEADERS),
  })
}
