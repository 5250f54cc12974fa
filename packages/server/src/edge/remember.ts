const longestKey = 512

/**
 * Remembers what a pure function makes of a header that most clients send alike. Bounded by starting over, which
 * costs a burst of distinct keys no more than the work it would have cost without a memory.
 */
export function remember<T>(limit: number, compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const value = compute(key)
    if (key.length <= longestKey) {
      if (known.size >= limit) known.clear()
      known.set(key, value)
    }
    return value
  }
}
