// A time limit for a promise.

/** Settles as `work` does, or rejects with `late()` after `ms` milliseconds; the work itself continues. */
export async function withTimeout<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
