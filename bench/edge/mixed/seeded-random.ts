import { createCipheriv } from 'node:crypto'

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Bytes that do not compress, the same in every run. */
export function seededBytes(seed: number, length: number): Buffer {
  const start = Buffer.alloc(16)
  start.writeUInt32BE(seed)
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), start).update(Buffer.alloc(length))
}

/** Picks an index, each as often as its weight says. */
export function weightedChoice(weights: readonly number[], random: () => number): () => number {
  let sum = 0
  const sums = weights.map((weight) => {
    sum += weight
    return sum
  })
  return () => {
    const wanted = random() * sum
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** How often something of each rank is asked for: the second half as often as the first, and so on (Zipf). */
export const zipfWeights = (count: number) => Array.from({ length: count }, (_, rank) => 1 / (rank + 1))
