// The API reference: the contract, as the library shows it, tried out against the service that served this page.

import type { OpenApi } from '../http/openapi.ts'
import { makeJsonExact } from './exact-json.ts'
import { labelled } from './labels.ts'

/** What the library's script, which runs before this one, leaves behind. */
declare const Scalar: { createApiReference: (where: string, configuration: object) => void }

makeJsonExact(JSON as unknown as Parameters<typeof makeJsonExact>[0])

const contract = (await (await fetch('/openapi.json')).json()) as OpenApi
Scalar.createApiReference('#reference', {
  content: labelled(contract, location.origin),
  // Nothing leaves this machine: no fonts, no measuring, no links to the library's own services.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  // The key is gone with the page.
  persistAuth: false,
  defaultOpenAllTags: true,
})
