import { day, hour } from '../kernel/clock.ts'

interface Validity {
  notBefore: number
  notAfter: number
}

const shortLived = 10 * day
/** The CA may suggest a later time, but we leave a tenth of the lifetime for retries. */
const reservedPart = 1 / 10
/** Or every renewal of a CA that always wants the next one now would cause another, which no limit counts. */
const youngest = { age: 12 * hour, part: 1 / 10 }
const soonestAriCheck = hour
/** At least twice a day (RFC 9773, section 4.3), spread out for certificates issued together. */
const ariInterval = { shortest: 6 * hour, longest: 11 * hour }

/** Without advice from the CA: when a third of the lifetime is left, or half of a short one. */
export function usualRenewalAt({ notBefore, notAfter }: Validity): number {
  const lifetime = notAfter - notBefore
  return Math.round(notAfter - lifetime / (lifetime < shortLived ? 2 : 3))
}

/**
 * A random time in the CA's window (RFC 9773, section 4.2), but not right after the certificate was issued, and early
 * enough for retries. `random` is in [0, 1).
 */
export function renewalWithin(
  { start, end }: { start: number; end: number },
  { notBefore, notAfter }: Validity,
  random: number,
): number {
  const lifetime = notAfter - notBefore
  const point = Math.round(start + (end - start) * random)
  const soonest = Math.round(notBefore + Math.min(youngest.age, lifetime * youngest.part))
  return Math.min(Math.max(point, soonest), Math.round(notAfter - lifetime * reservedPart))
}

/** Renewal information may not exist yet right after issuance. */
export function firstAriCheckAt(now: number, random: number): number {
  return now + Math.round(soonestAriCheck * (1 + 4 * random))
}

export function nextAriCheckAt(now: number, random: number): number {
  return now + Math.round(ariInterval.shortest + (ariInterval.longest - ariInterval.shortest) * random)
}
