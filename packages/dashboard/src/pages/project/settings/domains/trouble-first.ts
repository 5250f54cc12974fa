import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { type StatusWords, statusWords } from './status-words.ts'

const urgency: readonly StatusWords['tone'][] = ['stopped', 'waiting', 'idle', 'live']

/** What a person has to look at comes first; otherwise the order stays. */
export function troubleFirst(domains: readonly Domain[]): Domain[] {
  const urgencyOf = (domain: Domain) => urgency.indexOf(statusWords(domain).tone)
  return domains.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))
}

/** Whether nothing happens until somebody does something about it. */
export function isTroubled(domain: Domain): boolean {
  return statusWords(domain).tone === 'stopped' || domain.state === 'drifted'
}

/** A list this long is read from its top. */
const mostInFull = 10

/** Live domains fold where there are many; whatever else there is stays in sight. */
export function foldLive(domains: readonly Domain[]): { shown: Domain[]; folded: Domain[] } {
  const sorted = troubleFirst(domains)
  if (sorted.length <= mostInFull) return { shown: sorted, folded: [] }
  const isLive = (domain: Domain) => statusWords(domain).tone === 'live'
  const others = sorted.filter((domain) => !isLive(domain))
  const live = sorted.filter(isLive)
  const room = Math.max(0, mostInFull - others.length)
  return { shown: [...others, ...live.slice(0, room)], folded: live.slice(room) }
}
