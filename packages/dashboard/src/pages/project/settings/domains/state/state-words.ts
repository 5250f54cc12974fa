import { certificateTroubleOf } from '@masthead/contract/domains/certificate-trouble.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'

/** The line under a domain: its state, since when, and until when. */
export function stateLine(domain: Domain): Phrase[] {
  const { certificate, createdAt, lastCheck, liveAt, nextCheckAt, verifiedAt } = domain
  switch (domain.state) {
    case 'pending':
      if (lastCheck === null) return clauses(['Added ', { ago: createdAt }], ['first check in a moment'])
      return clauses(lastCheckWords(lastCheck), nextCheckWords(domain))
    case 'prepared':
      return clauses(
        ['DNS still points elsewhere'],
        domain.preparation?.ready ? ['ready to move'] : certificateWords(domain),
      )
    case 'verified':
      return clauses(
        verifiedAt === null ? ['DNS is correct'] : ['DNS verified ', { ago: verifiedAt }],
        certificateWords(domain),
      )
    case 'live':
      return clauses(
        certificateHeld(domain),
        lastCheck === null ? null : ['DNS checked ', { ago: lastCheck.at }],
      )
    case 'drifted':
      return clauses(
        ['DNS no longer points here'],
        certificate.notAfter === null
          ? ['still served']
          : ['still served until its certificate expires on ', { date: certificate.notAfter }],
        nextCheckAt === null ? null : ['next check ', { due: nextCheckAt }],
      )
    case 'failed':
      return clauses(
        failureWords(domain),
        lastCheck === null ? null : ['last checked ', { ago: lastCheck.at }],
      )
    case 'suspended':
      return clauses(
        [liveAt === null ? 'Added ' : 'Was live ', { ago: liveAt ?? createdAt }],
        ['the plan no longer includes custom domains'],
      )
  }
}

/** `Asked 4 nameservers at Cloudflare 12 seconds ago` */
export function lastCheckWords({ source, nameservers, provider, at }: DnsCheck): Phrase[] {
  if (source === 'resolvers') return ['Asked our resolvers ', { ago: at }]
  const count = new Set(nameservers.map(({ name }) => name)).size
  if (provider === 'the lab') return ["Asked the lab's nameserver ", { ago: at }]
  const servers = count === 1 ? '1 nameserver' : `${count} nameservers`
  return [`Asked ${servers}${provider === null ? '' : ` at ${provider}`} `, { ago: at }]
}

function nextCheckWords({ nextCheckAt, checkedUntil }: Domain): Phrase[] | null {
  if (nextCheckAt === null) return null
  const next: Phrase[] = ['next check ', { due: nextCheckAt }]
  return checkedUntil === null ? next : [...next, ', for ', { left: checkedUntil }, ' more']
}

function certificateWords(domain: Domain): Phrase[] {
  const { certificate } = domain
  const { status, lastError, nextAttemptAt, attempts } = certificate
  if (status === 'valid') return ['certificate issued, next is our test visit']
  if (lastError === null) {
    const isRefused = certificateTroubleOf(domain) !== null
    return [isRefused ? 'a CAA record forbids the certificate' : 'requesting a certificate']
  }
  const failed = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const soFar: Phrase[] = [`${failed} to get a certificate failed, the last one `, { ago: lastError.at }]
  return nextAttemptAt === null ? soFar : [...soFar, ', the next one ', { due: nextAttemptAt }]
}

function certificateHeld({ certificate: { issuer, notAfter, own } }: Domain): Phrase[] {
  if (own?.inUse) return ['Your own certificate, valid until ', { date: own.notAfter }]
  const by = issuer === null ? 'Certificate issued' : `Certificate by ${midSentence(issuer)}`
  return notAfter === null ? [by] : [`${by}, renews automatically before `, { date: notAfter }]
}

function failureWords({ certificate, lastCheck, liveAt }: Domain): Phrase[] {
  if (certificate.lastError !== null && lastCheck?.outcome === 'right') {
    return [`${certificate.lastError.authority} refused the certificate, and we stopped trying`]
  }
  if (lastCheck?.findings.some(({ code }) => code === 'held_elsewhere')) {
    return ['Another account proved that it owns this domain']
  }
  return liveAt === null
    ? ['The record was not found within 48 hours']
    : ['DNS pointed elsewhere until the certificate expired']
}

/** `The internal CA` becomes `the internal CA`; other names stay as they are. */
export function midSentence(name: string): string {
  return name.replace(/^The /, 'the ')
}

/** A part of a sentence: text, or a time that ticks. */
export type Phrase =
  | string
  /** `12 seconds ago` */
  | { ago: string }
  /** `in 8 s`, then `now`. */
  | { due: string }
  /** `47 h 52 min` */
  | { left: string }
  /** `3 January 2027` */
  | { date: string }

/** Joins clauses with a dot. */
function clauses(...all: (readonly Phrase[] | null)[]): Phrase[] {
  return all
    .filter((clause) => clause !== null && clause.length > 0)
    .flatMap((clause, index) => (clause === null ? [] : index === 0 ? clause : [' · ', ...clause]))
}

export function renewalWords({ state, certificate: { attempts, nextAttemptAt, own } }: Domain): string {
  if (own?.inUse) return 'None: you uploaded this certificate'
  if (state === 'drifted') return 'Automatic, once DNS points here again'
  if (nextAttemptAt === null) return 'Automatic, well before it expires'
  if (attempts === 0) return 'In progress'
  return attempts === 1 ? 'In progress, 1 attempt failed' : `In progress, ${attempts} attempts failed`
}
