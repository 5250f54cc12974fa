import { keepsOwnCertificate } from '@masthead/contract/domains/certificate-trouble.ts'
import { findings } from '@masthead/contract/domains/findings.ts'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'

/** The result of a check that a person requested. */
export function verifyAnswer(domain: Domain, asked: 'verify' | 'reverify'): string {
  const { lastCheck, certificate } = domain
  if (lastCheck === null) return ''
  if (lastCheck.outcome === 'right') {
    if (asked === 'reverify') {
      return keepsOwnCertificate(domain)
        ? 'DNS is correct. No certificate was requested: this domain uses the one you uploaded.'
        : 'DNS is correct. A new certificate was requested.'
    }
    return certificate.status === 'valid'
      ? 'DNS is correct.'
      : 'DNS is correct. The certificate follows automatically.'
  }
  if (lastCheck.outcome === 'unclear') return "We couldn't check DNS, and nothing was changed."
  const [first] = sortFindings(lastCheck.findings)
  return first === undefined ? 'Not yet.' : `Not yet: ${lowerFirstArticle(findingTitle(first))}`
}

/** Titles begin with an article, or with a name that keeps its capital. */
function lowerFirstArticle(title: string): string {
  return title.replace(/^(?:The|An|A|Another|No|Some)\b/, (word) => word.toLowerCase())
}

const order: readonly Finding['effect'][] = ['stops', 'unclear', 'tells']

/** Blocking findings first, informational ones last. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => order.indexOf(one.effect) - order.indexOf(other.effect))
}

/** Falls back to the server's message for a finding this version doesn't know. */
export function findingTitle({ code, message }: Pick<Finding, 'code' | 'message'>): string {
  return Object.hasOwn(findings, code) ? `${findings[code].title}.` : message
}

const words: Readonly<Record<string, string>> = {
  answered: 'answered',
  timeout: 'timed out',
  unreachable: 'unreachable',
  lame: 'not authoritative for the zone',
  refused: 'refused to answer',
  servfail: 'server failure',
  malformed: 'unreadable answer',
  private_address: 'private address, not queried',
  no_address: 'no address',
}

/** Falls back to the code for an outcome this version doesn't know. */
export function outcomeWords(outcome: string): string {
  return Object.hasOwn(words, outcome) ? (words[outcome] ?? outcome) : outcome.replaceAll('_', ' ')
}
