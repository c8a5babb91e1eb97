// The same work on many things, a few at a time: a browser opens six connections to a host.

const AT_ONCE = 5

/** After a failure it begins no more, and rejects once all that was begun has ended. */
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
