// fetch in a common retry loop: three retries after any failure.
import { requests, sendTo } from './fetch.mjs'

export default function connect(to) {
  const send = sendTo(to)
  return requests(async (path, init) => {
    for (let left = 3; ; left--) {
      try {
        return await send(path, init)
      } catch (error) {
        if (left === 0) throw error
      }
    }
  })
}
