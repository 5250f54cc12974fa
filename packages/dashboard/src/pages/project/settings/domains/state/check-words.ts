import { findings } from '@masthead/contract/domains/findings.ts'
import type { Domain, Finding } from '@masthead/contract/schemas/domain.ts'

/** What came of a look that a person asked for, in a sentence. */
export function verifyAnswer({ lastCheck, certificate }: Domain): string {
  if (lastCheck === null) return ''
  if (lastCheck.outcome === 'right') {
    return certificate.status === 'valid'
      ? 'DNS is right.'
      : 'DNS is right. The certificate follows by itself.'
  }
  if (lastCheck.outcome === 'unclear') return 'It could not be judged, and nothing was changed.'
  const [first] = sortFindings(lastCheck.findings)
  return first === undefined ? 'Not yet.' : `Not yet: ${midSentence(findingTitle(first))}`
}

/** Titles begin with a small word or with a name, which keeps its capital. */
function midSentence(title: string): string {
  return title.replace(/^(?:The|An|A|Another|No|Some)\b/, (word) => word.toLowerCase())
}

const order: readonly Finding['effect'][] = ['stops', 'unclear', 'tells']

/** What keeps the domain from being verified goes first; what is only good to know, last. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => order.indexOf(one.effect) - order.indexOf(other.effect))
}

/** A finding in a few words; a newer server may find what this page has no words for. */
export function findingTitle({ code, message }: Pick<Finding, 'code' | 'message'>): string {
  return Object.hasOwn(findings, code) ? `${findings[code].title}.` : message
}

const words: Readonly<Record<string, string>> = {
  answered: 'answered',
  timeout: 'no answer in time',
  unreachable: 'cannot be reached',
  lame: 'does not know the zone',
  refused: 'refuses to answer',
  servfail: 'answers with an error',
  malformed: 'answers in a way that cannot be read',
  private_address: 'has a private address, which is not asked',
  no_address: 'has no address',
}

/** How asking a nameserver ended; a newer server may know other ends. */
export function outcomeWords(outcome: string): string {
  return Object.hasOwn(words, outcome) ? (words[outcome] ?? outcome) : outcome.replaceAll('_', ' ')
}
