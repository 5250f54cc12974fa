import { randomBytes } from 'node:crypto'
import type { ObservedRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Dns } from '../../dns/dns.ts'
import { nullOnDnsError } from '../../dns/dns-error.ts'
import { normalizeName, parentName } from '../../dns/domain-name.ts'
import type { ServerView } from '../../dns/server-view.ts'
import { printableText } from '../../kernel/escape-text.ts'
import type { DelegationOutcome } from '../domain.ts'

export interface ObservedDelegation {
  outcome: DelegationOutcome
  /** The records of this name, with which no other CNAME can be set. A CNAME elsewhere, or old answers to challenges. */
  seen: ObservedRecord[]
}

const types = ['CNAME', 'TXT'] as const
/** More than any sensible name has. */
const maxSeen = 10
const longestValue = 300

/**
 * Whether all nameservers have the CNAME that delegates the challenges of a name, with one of these values. A single
 * server proves nothing.
 */
export async function observeDelegation(
  dns: Pick<Dns, 'askNameservers'>,
  { fqdn, values }: { fqdn: string; values: readonly string[] },
  signal?: AbortSignal,
): Promise<ObservedDelegation & { value: string | null }> {
  const answered = await ask(fqdn)
  if (answered.length === 0) return { outcome: 'unclear', seen: [], value: null }
  const leadsTo = (value: string) =>
    answered.every((records) => {
      const names = records.filter(({ type }) => type === 'CNAME')
      return names.length === 1 && names.every((record) => record.value === value)
    })
  const value = values.find(leadsTo) ?? null
  const seen = distinct(answered.flat())
  if (value !== null || seen.length === 0)
    return { outcome: value === null ? 'missing' : 'delegated', seen: toShow(seen), value }
  const fromWildcard = (await ask(`_${randomBytes(8).toString('hex')}.${parentName(fqdn)}`)).flat()
  const known = new Set(fromWildcard.map(keyOf))
  const own = seen.filter((record) => !known.has(keyOf(record)))
  return { outcome: 'missing', seen: toShow(own), value }

  async function ask(name: string): Promise<ObservedRecord[][]> {
    const views = await nullOnDnsError(dns.askNameservers(name, types, { signal }))
    return (views?.servers ?? [])
      .filter(({ outcome }) => outcome === 'answered')
      .map((view) => recordsOf(name, view))
  }
}

/** An answer for TXT repeats the CNAME, and includes the records of its target, which are not the name's own. */
function recordsOf(name: string, { answers }: ServerView): ObservedRecord[] {
  return distinct(
    types
      .flatMap((type) => answers[type]?.answers ?? [])
      .filter((answer) => answer.name === name && (answer.type === 'CNAME' || answer.type === 'TXT'))
      .map(({ type, value, ttl }) => ({ type, value: type === 'CNAME' ? normalizeName(value) : value, ttl })),
  )
}

/** A zone may have thousands. */
function distinct(records: readonly ObservedRecord[]): ObservedRecord[] {
  return [...new Map(records.map((record) => [keyOf(record), record])).values()]
}

function toShow(records: readonly ObservedRecord[]): ObservedRecord[] {
  return records
    .slice(0, maxSeen)
    .map((record) => ({ ...record, value: printableText(record.value, longestValue) }))
}

function keyOf({ type, value }: ObservedRecord): string {
  return `${type} ${value}`
}
