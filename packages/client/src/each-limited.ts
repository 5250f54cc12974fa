/** Works on `limit` items at a time. The first failure stops the others, and is thrown once all have stopped. */
export async function eachLimited<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const queue = items.values()

  async function worker(): Promise<void> {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      either.throwIfAborted()
      await work(next.value, either).catch((error) => {
        stop.abort(error)
        throw error
      })
    }
  }

  await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker))
  either.throwIfAborted()
}
