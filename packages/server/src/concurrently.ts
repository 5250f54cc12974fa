/** Runs `work` over all items, `atOnce` at a time. The first failure ends it, after what runs has come to its end. */
export async function concurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  let failed = false
  async function runner(): Promise<void> {
    for (let next = rest.next(); !next.done && !failed; next = rest.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true
        throw error
      })
    }
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, runner))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
