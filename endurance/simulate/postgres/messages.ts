// The messages between a simulated driver and a simulated database host.

export interface Rows {
  /** The first word of the command tag. */
  readonly command: string
  readonly fields: readonly (readonly [name: string, oid: number])[]
  readonly rows: readonly (readonly (string | null)[])[]
}

export interface Failed {
  readonly message: string
  readonly code: string
  readonly severity: string
  readonly routine?: string | undefined
  readonly constraint?: string | undefined
}

export interface Statement {
  readonly text: string
  readonly values: readonly (string | null)[]
}

export type ToDatabase = { readonly connection: number } & (
  | { readonly open: { readonly host: string; readonly statementTimeoutMs: number } }
  | Statement
  | { readonly ends: true }
)

export type FromDatabase = { readonly connection: number } & (
  | { readonly opened: number }
  | { readonly rows: Rows }
  | { readonly failed: Failed }
  /** The name of the function that sent the notice. */
  | { readonly notice: string }
  /** The connection has ended, with an error code of the system if there is one. */
  | { readonly ended: string | undefined }
)
