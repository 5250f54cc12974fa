/**
 * Why a question has no answer. `truncated`: the answer is too large for UDP, and TCP did not bring it either.
 * `malformed`: what came is no DNS message, or what should be asked is no name.
 */
export type DnsErrorKind = 'timeout' | 'unreachable' | 'malformed' | 'truncated'

export class DnsError extends Error {
  override readonly name = 'DnsError'
  readonly kind: DnsErrorKind

  constructor(kind: DnsErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

/** Null where the DNS failed to answer; other errors remain errors. */
export async function nullOnDnsError<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (error instanceof DnsError) return null
    throw error
  })
}
