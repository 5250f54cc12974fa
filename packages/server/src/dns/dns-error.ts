/**
 * Why there is no answer. `truncated`: the answer is too large for UDP, and TCP failed too. `malformed`: the reply is
 * not a DNS message, or the name in question is not valid.
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

/** Null on a DnsError. Other errors are thrown. */
export async function nullOnDnsError<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (error instanceof DnsError) return null
    throw error
  })
}
