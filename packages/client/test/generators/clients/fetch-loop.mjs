// fetch in a common retry loop: three retries after any failure.
import { requests } from './fetch.mjs'

export default function connect({ baseUrl, apiKey }) {
  return requests(async (path, { method = 'GET', body } = {}) => {
    for (let left = 3; ; left--) {
      try {
        const answer = await fetch(baseUrl + path, {
          method,
          headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
          body: body && JSON.stringify(body),
        })
        if (!answer.ok) throw new Error(`${answer.status}`)
        return await answer.json()
      } catch (error) {
        if (left === 0) throw error
      }
    }
  })
}
