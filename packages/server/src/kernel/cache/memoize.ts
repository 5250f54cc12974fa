/** Copies a string that is kept for long, because a slice keeps the whole original string alive. */
export function detachString(text: string): string {
  return Buffer.from(text).toString()
}

const longestKey = 512

/**
 * Memoizes a pure function of a string, such as a header that most clients send alike. When the limit is reached, it
 * starts over.
 */
export function memoize<T>(limit: number, compute: (key: string) => T): (key: string) => T {
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
