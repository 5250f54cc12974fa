import { certificateTroubleOf } from '@masthead/contract/domains/certificate-trouble.ts'
import type { DnsCheck, Domain } from '@masthead/contract/schemas/domain.ts'

/** What is, since when, and until when: the line under the name of a domain. */
export function stateLine(domain: Domain): Phrase[] {
  const { certificate, createdAt, lastCheck, liveAt, nextCheckAt, verifiedAt } = domain
  switch (domain.state) {
    case 'pending':
      if (lastCheck === null)
        return clauses(['Added ', { ago: createdAt }], ['the first look comes in a moment'])
      return clauses(lastCheckWords(lastCheck), searchGoesOn(domain))
    case 'verified':
      return clauses(
        verifiedAt === null ? ['DNS is right'] : ['DNS is right, seen ', { ago: verifiedAt }],
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
          : ['still served until its certificate ends on ', { date: certificate.notAfter }],
        nextCheckAt === null ? null : ['next check ', { due: nextCheckAt }],
      )
    case 'failed':
      return clauses(endWords(domain), lastCheck === null ? null : ['last looked ', { ago: lastCheck.at }])
    case 'suspended':
      return clauses(
        [liveAt === null ? 'Added ' : 'Was live ', { ago: liveAt ?? createdAt }],
        ['the plan no longer includes custom domains'],
      )
  }
}

/** Whom the last look asked, and when: `Asked 4 nameservers at Cloudflare 12 seconds ago`. */
export function lastCheckWords({ source, nameservers, provider, at }: DnsCheck): Phrase[] {
  if (source === 'resolvers') return ['Asked our resolvers ', { ago: at }]
  const count = new Set(nameservers.map(({ name }) => name)).size
  if (provider === 'the lab') return ['Asked the nameserver of the lab ', { ago: at }]
  const whom = count === 1 ? 'one nameserver' : `${count} nameservers`
  return [`Asked ${whom}${provider === null ? '' : ` at ${provider}`} `, { ago: at }]
}

function searchGoesOn({ nextCheckAt, checkedUntil }: Domain): Phrase[] | null {
  if (nextCheckAt === null) return null
  const next: Phrase[] = ['next check ', { due: nextCheckAt }]
  return checkedUntil === null ? next : [...next, ', for ', { left: checkedUntil }, ' more']
}

function certificateWords(domain: Domain): Phrase[] {
  const { certificate } = domain
  const { status, lastError, nextAttemptAt, attempts } = certificate
  if (status === 'valid') return ['the certificate is in place, our own test visit comes next']
  if (lastError === null) {
    const isRefused = certificateTroubleOf(domain) !== null
    return [isRefused ? 'a CAA record forbids the certificate' : 'the certificate is on its way']
  }
  const failed = attempts === 1 ? 'one attempt' : `${attempts} attempts`
  const soFar: Phrase[] = [`${failed} to get a certificate failed, the last one `, { ago: lastError.at }]
  return nextAttemptAt === null ? soFar : [...soFar, ', the next one ', { due: nextAttemptAt }]
}

function certificateHeld({ certificate: { issuer, notAfter } }: Domain): Phrase[] {
  const by = issuer === null ? 'The certificate is in place' : `Certificate by ${midSentence(issuer)}`
  return notAfter === null ? [by] : [`${by}, renews by itself before `, { date: notAfter }]
}

function endWords({ certificate, lastCheck, liveAt }: Domain): Phrase[] {
  if (certificate.lastError !== null && lastCheck?.outcome === 'right') {
    return [`${certificate.lastError.authority} refused, and nothing is tried by itself any more`]
  }
  if (lastCheck?.findings.some(({ code }) => code === 'held_elsewhere')) {
    return ['Another account proved this name']
  }
  return liveAt === null
    ? ['The record was looked for during 48 hours and not found']
    : ['DNS pointed elsewhere until the certificate ended']
}

/** `The internal CA` begins a sentence; names of others are names anywhere. */
export function midSentence(name: string): string {
  return name.replace(/^The /, 'the ')
}

/** A part of a sentence about a domain: words, or a time that ticks where it is shown. */
export type Phrase =
  | string
  /** `12 seconds ago` */
  | { ago: string }
  /** `in 8 s`, and `now` once that has passed. */
  | { due: string }
  /** `47 h 52 min` */
  | { left: string }
  /** `3 January 2027` */
  | { date: string }

/** Clauses as one line, with a dot between them. */
function clauses(...all: (readonly Phrase[] | null)[]): Phrase[] {
  return all
    .filter((clause) => clause !== null && clause.length > 0)
    .flatMap((clause, index) => (clause === null ? [] : index === 0 ? clause : [' · ', ...clause]))
}

/** How a certificate that is in place will be followed by the next one. */
export function renewalWords({ state, certificate: { attempts, nextAttemptAt } }: Domain): string {
  if (state === 'drifted') return 'By itself, once DNS points here again'
  if (nextAttemptAt === null) return 'By itself, well before it ends'
  if (attempts === 0) return 'Under way'
  return attempts === 1 ? 'Under way, one attempt failed' : `Under way, ${attempts} attempts failed`
}
