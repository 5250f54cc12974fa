import { minute, second, waitAfter } from '../../kernel/clock.ts'
import type { DomainRow } from '../domain.ts'

/** Evidence that a domain is served over HTTPS: our test request was answered. */
export interface ProbeEvidence {
  at: string
  address: string
  /** Of the certificate that was served. */
  serial: string
  /** Directly to the edge, or to the address from DNS. */
  via: 'edge' | 'dns'
}

/** What the column `probe` holds. */
export interface StoredProbe {
  edge: ProbeEvidence | null
  dns: ProbeEvidence | null
  /** The certificate that was last probed via DNS, once, because a server may not reach its own public address. */
  dnsTriedWith: string | null
  failed: { serial: string; times: number; retryAt: number } | null
}

/** An edge usually has the certificate within a second. If it takes longer, someone has to fix something. */
const backoff = [second, 5 * second, 30 * second, 2 * minute, 10 * minute]

const untried: StoredProbe = { edge: null, dns: null, dnsTriedWith: null, failed: null }

export function parseProbe({ probe }: Pick<DomainRow, 'probe'>): StoredProbe {
  return probe === null ? untried : JSON.parse(probe)
}

/** How to probe a domain that has this certificate now; null for not at all. */
export function nextProbeVia(stored: StoredProbe, serial: string, now: number): ProbeEvidence['via'] | null {
  const { edge, failed, dnsTriedWith } = stored
  if (edge?.serial !== serial) return failed?.serial === serial && failed.retryAt > now ? null : 'edge'
  return dnsTriedWith === serial ? null : 'dns'
}

export function withAnswer(stored: StoredProbe, evidence: ProbeEvidence): StoredProbe {
  if (evidence.via === 'edge') return { ...stored, edge: evidence, failed: null }
  return { ...stored, dns: evidence, dnsTriedWith: evidence.serial }
}

export function withFailure(
  stored: StoredProbe,
  { via, serial }: Pick<ProbeEvidence, 'via' | 'serial'>,
  now: number,
): StoredProbe {
  if (via === 'dns') return { ...stored, dnsTriedWith: serial }
  const times = (stored.failed?.serial === serial ? stored.failed.times : 0) + 1
  return { ...stored, failed: { serial, times, retryAt: now + waitAfter(times, backoff) } }
}

/** When to probe again after a failure, if that is in the future. */
export function probeRetryAt({ failed }: StoredProbe, now: number): number | null {
  return failed !== null && failed.retryAt > now ? failed.retryAt : null
}
