// The API reference: shows the contract, and sends requests to the service that served the page.

import type { OpenApi } from '../../contract/src/openapi.ts'
import { findKey } from '../src/session/tab-keys.ts'
import { forReaders } from './document.ts'
import { makeJsonExact } from './exact-json.ts'

/** A global of the library's script, which runs before this one. */
declare const Scalar: { createApiReference: (where: string, configuration: object) => void }

makeJsonExact(JSON as unknown as Parameters<typeof makeJsonExact>[0])

// Relative, because a proxy can add a path prefix.
const [response, signedIn] = await Promise.all([fetch('openapi.json'), findKey()])
const contract = (await response.json()) as OpenApi
Scalar.createApiReference('#reference', {
  content: forReaders(contract, new URL('.', location.href).href),
  authentication: { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token: signedIn?.key ?? '' } } },
  // The library sorts fields by name by default.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  // No requests to other hosts: no fonts, telemetry or links to the library's services.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  // The key is forgotten when the page is closed.
  persistAuth: false,
  defaultOpenAllTags: true,
})
