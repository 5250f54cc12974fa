/** A slice keeps the whole string alive that it was cut from: what is kept for long is copied first. */
export function detachString(text: string): string {
  return Buffer.from(text).toString()
}

/**
 * Remembers what a pure function makes of a header that most clients send alike. Bounded by starting over, which
 * costs a burst of distinct keys no more than the work it would have cost without a memory.
 */
export function memoize<T>(limit: number, compute: (key: string) => T, longestKey = 512): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    if (key.length > longestKey) return compute(key)
    const own = detachString(key)
    const value = compute(own)
    if (known.size >= limit) known.clear()
    known.set(own, value)
    return value
  }
}
