import { minute, second } from '../../kernel/clock.ts'
import type { DomainRow } from '../domain.ts'

/** How it is known that a domain is served over HTTPS: our own request was answered. */
export interface ProbeEvidence {
  at: string
  address: string
  /** Of the certificate that was served. */
  serial: string
  /** Straight to the edge, or to the address that DNS gives. */
  via: 'edge' | 'dns'
}

/** What the column `probe` holds. */
export interface StoredProbe {
  edge: ProbeEvidence | null
  dns: ProbeEvidence | null
  /** The certificate with which the way by DNS was tried. A server need not reach its own public address. */
  dnsTriedWith: string | null
  failed: { serial: string; times: number; retryAt: number } | null
}

/** An edge mostly has the certificate within the second; what lasts longer has to be repaired by somebody. */
const backoff = [second, 5 * second, 30 * second, 2 * minute, 10 * minute]
const longestBackoff = 10 * minute

const untried: StoredProbe = { edge: null, dns: null, dnsTriedWith: null, failed: null }

export function parseProbe({ probe }: Pick<DomainRow, 'probe'>): StoredProbe {
  return probe === null ? untried : JSON.parse(probe)
}

/** By which way to ask for a domain now that has the certificate; null: by none. */
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
  return { ...stored, failed: { serial, times, retryAt: now + (backoff[times - 1] ?? longestBackoff) } }
}

/** When to ask again after a failure, if that is still to come. */
export function probeRetryAt({ failed }: StoredProbe, now: number): number | null {
  return failed !== null && failed.retryAt > now ? failed.retryAt : null
}
