// ky, with its default retries.
import ky from 'ky'
import { requests } from './fetch.mjs'

export default function connect({ baseUrl, apiKey }) {
  const client = ky.create({ headers: { Authorization: `Bearer ${apiKey}` } })
  return requests((path, { method = 'GET', body } = {}) =>
    client(baseUrl + path, { method, ...(body && { json: body }) }).json(),
  )
}
