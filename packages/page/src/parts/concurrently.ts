// Runs a task on many items, a few at a time, because a browser opens only six connections per host.

const AT_ONCE = 5

/** Starts no more tasks after a failure, and rejects once all running tasks have ended. */
export async function concurrently<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const open = items.values()
  let failed = false
  async function work(): Promise<void> {
    for (const item of open) {
      if (failed) return
      await act(item).catch((error) => {
        failed = true
        throw error
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
