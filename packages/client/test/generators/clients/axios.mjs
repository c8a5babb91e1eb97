// axios with axios-retry, as in their documentation.
import axios from 'axios'
import axiosRetry from 'axios-retry'
import { requests } from './fetch.mjs'

export default function connect({ baseUrl, apiKey }) {
  const client = axios.create({ headers: { Authorization: `Bearer ${apiKey}` } })
  axiosRetry(client, { retries: 3, retryDelay: axiosRetry.exponentialDelay })
  return requests(async (path, { method = 'GET', body } = {}) => {
    const { data } = await client.request({ url: baseUrl + path, method, data: body })
    return data
  })
}
