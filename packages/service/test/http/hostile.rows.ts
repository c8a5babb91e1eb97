// What the rows of hostile input are made of. One character is one byte; `{key}` stands for a good key.

export interface Row {
  description: string
  bytes: string
  status: number
  code?: string
}

/** The header fields that every request needs. */
export const HEAD = 'Host: a\r\nAuthorization: Bearer {key}\r\n'

export const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\n${HEAD}${headers}\r\n`
export const post = (body: string, headers = ''): string =>
  `POST /v1/pets HTTP/1.1\r\n${HEAD}${headers}Content-Length: ${body.length}\r\n\r\n${body}`
export const row =
  (status: number, code?: string) =>
  (description: string, bytes: string): Row => ({ description, bytes, status, ...(code ? { code } : {}) })
