import { DnsFault } from './dns-fault.ts'

export interface DnsServer {
  address: string
  port: number
}

export interface ExchangeLimits {
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** What a message that came means: the answer, or null where it is somebody else's and is passed over. */
export type Accept<T> = (message: Buffer) => T | null

interface Outcome<T> {
  settle(result: T): void
  fail(error: unknown): void
}

/** Lets `begin` open a socket and closes it by what `begin` returned, as soon as there is any outcome. */
export async function exchange<T>(
  server: DnsServer,
  { timeoutMs, signal }: ExchangeLimits,
  begin: (outcome: Outcome<T>) => () => void,
): Promise<T> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const close = begin({ settle: resolve, fail: (error) => reject(asFault(server, error)) })
  const overdue = () => reject(new DnsFault('timeout', `${server.address} did not answer in time`))
  const aborted = () => reject(signal?.reason)
  const timer = setTimeout(overdue, timeoutMs)
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
    close()
  }
}

function asFault(server: DnsServer, error: unknown): DnsFault {
  if (error instanceof DnsFault) return error
  return new DnsFault('unreachable', `${server.address} cannot be reached`, error)
}
