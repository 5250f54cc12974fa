/** How long to wait and how much to do at once. Tests wait less. */
export const defaultS3Limits = {
  connectMs: 5_000,
  /** Without a byte in either direction. */
  silenceMs: 10_000,
  /**
   * The same before the answer to a read over a kept connection, which may have been forgotten on the way. Leaves time
   * for an attempt over a new one.
   */
  reusedSilenceMs: 3_000,
  /** No new attempt starts after this. A visitor waits for reads, a program for writes. */
  retryReadsMs: 5_000,
  retryWritesMs: 20_000,
  /** Requests at the same time, of this process. Uploads never take the place of reads. */
  reads: 64,
  writes: 32,
  /** Larger files are sent in parts. */
  multipartBytes: 64 * 1024 * 1024,
  partBytes: 16 * 1024 * 1024,
}

/** For commands that copy everything: nobody waits for an answer, and giving up means to begin again. */
export const patientS3Limits: S3Limits = {
  ...defaultS3Limits,
  connectMs: 30_000,
  silenceMs: 60_000,
  retryReadsMs: 300_000,
  retryWritesMs: 300_000,
}

export type S3Limits = typeof defaultS3Limits
