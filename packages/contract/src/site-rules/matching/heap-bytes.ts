/** Roughly what plain data takes in memory, and never less: strings count as if they had characters of two bytes. */
export function heapBytesOf(value: unknown): number {
  if (typeof value === 'string') return 24 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + 8 + heapBytesOf(one), 32)
  return Object.values(value).reduce<number>((sum, one) => sum + 8 + heapBytesOf(one), 64)
}
