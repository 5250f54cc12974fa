import { day, hour } from '../kernel/clock.ts'

interface Validity {
  notBefore: number
  notAfter: number
}

const shortLived = 10 * day
/** The CA may name a later time than ours, but some is left to try again in. */
const lastMoment = 10
const soonestAriCheck = hour
/** Twice a day at least (RFC 9773, section 4.3); spread, so that what was issued together is not asked about together. */
const ariEvery = { shortest: 6 * hour, longest: 11 * hour }

/** Without a word of the CA: when a third of the lifetime is left, of a short one a half. */
export function usualRenewalAt({ notBefore, notAfter }: Validity): number {
  const lifetime = notAfter - notBefore
  return Math.round(notAfter - lifetime / (lifetime < shortLived ? 2 : 3))
}

/** A random point of the CA's window (RFC 9773, section 4.2), with some time left. `random` is in [0, 1). */
export function renewalWithin(
  { start, end }: { start: number; end: number },
  { notBefore, notAfter }: Validity,
  random: number,
): number {
  const point = Math.round(start + (end - start) * random)
  return Math.min(point, Math.round(notAfter - (notAfter - notBefore) / lastMoment))
}

/** The CA has hardly heard of a new certificate yet. */
export function firstAriCheckAt(now: number, random: number): number {
  return now + Math.round(soonestAriCheck * (1 + 4 * random))
}

export function nextAriCheckAt(now: number, random: number): number {
  return now + Math.round(ariEvery.shortest + (ariEvery.longest - ariEvery.shortest) * random)
}
