/** `count` tokens that refill one by one, all of them within `within` milliseconds. */
export interface BucketSize {
  count: number
  within: number
}

/** A full bucket needs no state. */
export interface Bucket {
  /** When it will be full again if nothing more is taken. */
  fullAt: number
  /** When it was last full: tokens taken before that have come back. */
  lastFullAt: number
}

export function refillInterval({ count, within }: BucketSize): number {
  return within / count
}

/** Without a state from before the clock was set back, or nothing could be taken until it has caught up. */
export function currentBucket(
  bucket: Bucket | undefined,
  { within }: BucketSize,
  now: number,
): Bucket | undefined {
  return bucket !== undefined && bucket.fullAt > now + 2 * within ? undefined : bucket
}

/** When a token can be taken while leaving this many others. */
export function availableAt(bucket: Bucket | undefined, size: BucketSize, leaving = 0): number {
  if (bucket === undefined) return 0
  const most = Math.max(size.count - 1 - leaving, 0)
  return Math.ceil(bucket.fullAt - most * refillInterval(size))
}

/** Never goes below empty, even if a token is taken anyway. */
export function take(bucket: Bucket | undefined, size: BucketSize, now: number): Bucket {
  const isFull = bucket === undefined || bucket.fullAt <= now
  const from = isFull ? now : bucket.fullAt
  return {
    fullAt: Math.min(Math.round(from + refillInterval(size)), now + size.within),
    lastFullAt: isFull ? now : bucket.lastFullAt,
  }
}

/** Returns a token taken at this time, unless it has already been refilled. */
export function giveBack(bucket: Bucket, size: BucketSize, takenAt: number): Bucket {
  if (takenAt < bucket.lastFullAt) return bucket
  return { ...bucket, fullAt: Math.round(bucket.fullAt - refillInterval(size)) }
}
