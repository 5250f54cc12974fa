import { BlobsUnavailableError } from '../blob-store.ts'

/** What S3 answered. Its text is for the operator; the credentials are never in it. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number
  /** Of the XML document, empty if it was something else. */
  readonly code: string

  constructor(what: string, status: number, code: string) {
    super(`S3 answered ${status}${code && ` ${code}`} to ${what}`)
    this.status = status
    this.code = code
  }
}

/** S3 sent something that cannot be right: too few bytes, or others than were stored. */
export class S3ContentError extends Error {
  override readonly name = 'S3ContentError'
}

const transientCodes = new Set([
  'BadDigest',
  'IncompleteBody',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
])

/** True if the same request may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  if (error instanceof S3ContentError) return true
  if (!(error instanceof S3Error)) return isConnectionError(error)
  const { status, code } = error
  return (status >= 500 && status !== 501) || status === 429 || status === 408 || transientCodes.has(code)
}

/** The connection to S3 failed, as opposed to a local file or our own code. */
export class S3ConnectionError extends Error {
  override readonly name = 'S3ConnectionError'
}

function isConnectionError(error: unknown): boolean {
  return error instanceof S3ConnectionError
}

export const isMissingKey = (error: unknown): boolean =>
  error instanceof S3Error && error.status === 404 && error.code === 'NoSuchKey'

/** S3 sends something else than was stored, however often it is asked, or has lost the digest of it. */
export function isOtherContent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isNotSo = error instanceof S3ContentError || (error instanceof S3Error && error.status === 200)
  return isNotSo || isOtherContent(error.cause)
}

/** As from a file system, so that callers need not know the store. */
export function missingContent(key: string): Error {
  return Object.assign(new Error(`ENOENT: S3 has no ${key}`), { code: 'ENOENT' })
}

/** What the rest of the server sees of the errors of S3. Others stay as they are. */
export function toStoreError(error: unknown): unknown {
  const isFromS3 =
    error instanceof S3Error || error instanceof S3ContentError || error instanceof S3ConnectionError
  return isFromS3 ? new BlobsUnavailableError(error.message, { cause: error }) : error
}
