// Types for the part of OpenAPI 3.1 that openapi.yaml uses.

export interface OpenApi {
  info: { version: string; description: string; 'x-release': string }
  servers: { url: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    parameters: Record<string, Parameter>
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    headers: Record<string, Header>
    securitySchemes: Record<string, SecurityScheme>
  }
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  deprecated?: boolean
  'x-stability': 'stable' | 'beta' | 'experimental'
  /** The same label for oasdiff. */
  'x-stability-level'?: 'stable' | 'beta' | 'alpha'
  /** The same label, and the date of removal, for Scalar and Redoc. */
  'x-badges'?: { name: string }[]
  'x-deprecated-since'?: string
  'x-deprecated-sunset'?: string
  'x-deprecated-successor'?: string
  security?: Record<string, string[]>[]
  parameters?: (Reference | Parameter)[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Reference | Response>
}

interface SecurityScheme {
  type: string
  scheme: string
}

export interface Parameter {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  /** If it differs from the operation's. */
  'x-stability'?: Operation['x-stability']
  schema: Schema
  example?: unknown
}

export interface Response {
  description: string
  /** The possible codes of its Error. */
  'x-error-codes'?: string[]
  headers?: Record<string, Reference | Header>
  content?: Content
}

export interface Header {
  required?: boolean
  schema: Schema
}

export interface Reference {
  $ref: string
}

type Content = Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>

export interface Schema {
  $ref?: string
  /** An array has a type and `null`. */
  type?: string | string[] | undefined
  format?: string
  description?: string
  enum?: string[]
  /** Known values of an open set. */
  'x-extensible-enum'?: string[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  'x-pattern-description'?: string
  /** How many days a time can be ahead of the store's clock. The store checks it. */
  'x-days-ahead-max'?: number
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  allOf?: Schema[]
  examples?: unknown[]
}
