/** A bucket of `count` tokens that get back into it one by one, all of them within `within` milliseconds. */
export interface BucketSize {
  count: number
  within: number
}

/** A bucket that is full needs no state. */
export interface Bucket {
  /** When it is full again, if nothing more is taken. */
  fullAt: number
  /** When it was full last: what was taken before has come back. */
  lastFullAt: number
}

export function refillInterval({ count, within }: BucketSize): number {
  return within / count
}

/** When a token can be taken that leaves so many others in the bucket. */
export function availableAt(bucket: Bucket | undefined, size: BucketSize, leaving = 0): number {
  if (bucket === undefined) return 0
  const most = Math.max(size.count - 1 - leaving, 0)
  return Math.ceil(bucket.fullAt - most * refillInterval(size))
}

/** Never below empty: what is taken all the same costs nobody more than the whole bucket. */
export function take(bucket: Bucket | undefined, size: BucketSize, now: number): Bucket {
  const isFull = bucket === undefined || bucket.fullAt <= now
  const from = isFull ? now : bucket.fullAt
  return {
    fullAt: Math.min(Math.round(from + refillInterval(size)), now + size.within),
    lastFullAt: isFull ? now : bucket.lastFullAt,
  }
}

/** Gives back a token that was taken at this time, unless the bucket has got it back already. */
export function giveBack(bucket: Bucket, size: BucketSize, takenAt: number): Bucket {
  if (takenAt < bucket.lastFullAt) return bucket
  return { ...bucket, fullAt: Math.round(bucket.fullAt - refillInterval(size)) }
}
