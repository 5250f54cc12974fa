/**
 * Concurrent calls with the same key share one run, with the other arguments of the first call. Once it ends, the next
 * call runs again, whatever the outcome.
 */
export function singleFlight<Key, Value, Rest extends unknown[] = []>(
  work: (key: Key, ...rest: Rest) => Promise<Value>,
): (key: Key, ...rest: Rest) => Promise<Value> {
  const running = new Map<Key, Promise<Value>>()
  return (key, ...rest) => {
    const shared = running.get(key)
    if (shared !== undefined) return shared
    const run = work(key, ...rest).finally(() => running.delete(key))
    running.set(key, run)
    return run
  }
}
