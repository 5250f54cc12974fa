/**
 * Work that hangs is not begun again beside itself: whoever asks meanwhile waits for the same, so that nothing piles
 * up however often somebody asks.
 */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null
  return () => {
    underWay ??= work().finally(() => {
      underWay = null
    })
    return underWay
  }
}
