// The contract as YAML and as JSON, with this service's own addresses. Served outside /v1 and without a key.

import { contractFor } from '../../../../contract/src/contract.ts'
import { SECURITY_HEADERS } from '../response/shared-headers.ts'
import { Route } from '../route.ts'
import { StaticFile } from './static-file.ts'

/** As `contractFor` takes them. */
export type ServerAddresses = () => Parameters<typeof contractFor>

export function contractFiles(addresses: ServerAddresses): Route[] {
  return [contractFile('yaml', addresses), contractFile('json', addresses)]
}

function contractFile(format: 'yaml' | 'json', addresses: ServerAddresses): Route {
  // Made at the first request: the addresses are known only once the server listens.
  let file: StaticFile | undefined
  return new Route(`/openapi.${format}`, {
    GET: ({ request }) => {
      file ??= new StaticFile(contractFor(...addresses())[format], `application/${format}`, 'revalidated')
      return file.answer(request, SECURITY_HEADERS)
    },
  })
}
