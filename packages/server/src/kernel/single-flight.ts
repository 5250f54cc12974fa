/** Concurrent calls with the same key share one run. Once it ends, the next call runs again, whatever the outcome. */
export function singleFlight<Key, Value>(work: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const running = new Map<Key, Promise<Value>>()
  return (key) => {
    const shared = running.get(key)
    if (shared !== undefined) return shared
    const run = work(key).finally(() => running.delete(key))
    running.set(key, run)
    return run
  }
}
