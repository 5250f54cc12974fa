import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import { isoTime, second } from '../../../kernel/clock.ts'
import { formatDuration, formatRecords } from '../../../kernel/english.ts'
import { type Evidence, verdictOn } from '../evidence.ts'
import type { Observation } from '../observation.ts'
import { finding } from './finding.ts'

/** Resolvers cache nothing for longer, whatever the zone says (RFC 2308, section 5; RFC 8767, section 4). */
const longestNegative = 86_400
const longestPositive = 7 * 86_400

/** What resolvers may still have cached once the record is right. */
export function cachedFindings(evidence: Evidence): Finding[] {
  // Nobody visits the star itself, and names below it are cached one by one.
  if (evidence.wanted.kind === 'wildcard') return []
  // A proxy's addresses change all the time, and resolvers have some of them.
  if (evidence.answers.every(({ verdict }) => verdict === 'behind')) return []
  return evidence.allRight ? staleAnswers(evidence) : futureStaleAnswers(evidence)
}

/** The nameservers are right, but resolvers may still have the old answer cached. */
function staleAnswers({ observation, wanted, providers }: Evidence): Finding[] {
  const { resolvers, servers, source, at } = observation
  const isAnswer = resolvers.rcode === 'NOERROR' || resolvers.rcode === 'NXDOMAIN'
  if (source === 'resolvers' || !isAnswer) return []
  const verdict = verdictOn(resolvers.records, wanted, providers)
  if (verdict === 'right') return []
  const fix = "Nothing to do: this goes away on its own. Verification isn't affected."
  if (verdict === 'missing') {
    const ttl = longest(
      [resolvers.negativeTtl, ...servers.map(({ negativeTtl }) => negativeTtl)],
      longestNegative,
    )
    return [
      finding('cached_not_found', {
        message: `The record is set, but some visitors may still get "not found"${upTo(ttl)}.`,
        fix,
        ...until(at, ttl),
      }),
    ]
  }
  const ttl = longest(
    resolvers.records.map((record) => record.ttl),
    longestPositive,
  )
  return [
    finding('cached_old_answer', {
      message:
        'The record is set, but some visitors may still see the old one ' +
        `(${formatRecords(resolvers.records)})${upTo(ttl)}.`,
      fix,
      ...until(at, ttl),
    }),
  ]
}

/** The record still has to be set or changed, and resolvers may cache what is there now. */
function futureStaleAnswers({ observation, wanted, answers, seen }: Evidence): Finding[] {
  const { at, source } = observation
  if (seen.length === 0) {
    const ttl = longest(
      answers.map(({ server }) => server.negativeTtl),
      longestNegative,
    )
    if (ttl === 0 || wanted.target === null) return []
    return [
      finding('cached_not_found', {
        message: `If you open ${wanted.hostname} now, your resolver may remember "not found" for up to ${formatDuration(ttl)}.`,
        fix: `Set the record before you open the domain in a browser. ${waiting[source]}`,
        ...until(at, ttl),
      }),
    ]
  }
  const wrong = answers.filter(({ verdict }) => verdict !== 'right').flatMap(({ server }) => server.records)
  const ttl = longest(
    wrong.map((record) => record.ttl),
    longestPositive,
  )
  if (ttl === 0) return []
  return [
    finding('cached_old_answer', {
      message: `Some visitors may see the old record for up to ${formatDuration(ttl)} after you change it.`,
      fix: `${waiting[source]} A shorter TTL, set well before the change, shortens this.`,
      ...until(at, ttl),
    }),
  ]
}

const waiting: Record<Observation['source'], string> = {
  authoritative: "Verification isn't affected.",
  resolvers: "We couldn't reach a nameserver, so we only see a change when resolvers do.",
}

function longest(ttls: readonly (number | null)[], bound: number): number {
  return Math.min(bound, Math.max(0, ...ttls.map((ttl) => ttl ?? 0)))
}

function upTo(ttl: number): string {
  return ttl === 0 ? '' : `, for up to ${formatDuration(ttl)}`
}

function until(at: number, ttl: number): { until?: string } {
  return ttl === 0 ? {} : { until: isoTime(at + ttl * second) }
}
