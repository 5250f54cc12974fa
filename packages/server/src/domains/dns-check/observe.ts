import { type CaaVerdict, checkCaa } from '../../certificates/caa.ts'
import { caaLookUpIn } from '../../certificates/look-up-caa.ts'
import { second } from '../../clock.ts'
import type { Everywhere } from '../../dns/ask-everywhere.ts'
import type { Dns } from '../../dns/dns.ts'
import type { DnsAnswer } from '../../dns/dns-answer.ts'
import { DnsFault, unlessFault } from '../../dns/dns-fault.ts'
import { isWithin } from '../../dns/domain-name.ts'
import type { ServerView } from '../../dns/server-view.ts'
import { TooSlow, withinBudget } from '../../limits/within-budget.ts'
import { challengeName, type Wanted } from '../records.ts'
import type { Observation, ResolverObservation, SeenRecord, ServerObservation } from './observation.ts'
import { isServedByWildcard } from './observe-wildcard.ts'

const deadline = 12 * second
const routingTypes = ['CNAME', 'A', 'AAAA'] as const

const nobody: Everywhere = { zone: null, source: 'resolvers', servers: [] }
const silence: ResolverObservation = { rcode: null, records: [], negativeTtl: null, dnssecFailure: false }

/** Everything that can be seen of a name, all of it asked for at once. What the DNS does is never an error here. */
export async function observe(
  dns: Dns,
  wanted: Wanted,
  caIdentities: readonly string[],
  now: number,
): Promise<Observation> {
  const { hostname, registrable } = wanted
  const decisive = wanted.kind === 'apex' ? 'A' : 'CNAME'
  const asked = dns.askEverywhere(hostname, routingTypes)
  const [everywhere, wildcard, challenge, resolvers, delegated, caa] = await Promise.all([
    unlessSilent(asked, nobody),
    unlessSilent(
      asked.then(({ servers }) => isServedByWildcard(dns, wanted, servers.map(recordsOf))),
      false,
    ),
    wanted.challenge === null ? null : unlessSilent(challengeAt(dns, hostname), null),
    unlessSilent(viewOfResolvers(dns, hostname, decisive), silence),
    unlessSilent(isDelegated(dns, registrable), true),
    unlessSilent(caaOf(dns, hostname, caIdentities), tooSlowForCaa),
  ])
  const observed = (view: ServerView): ServerObservation => {
    const answer = view.answers[decisive]
    return {
      name: view.name,
      address: view.address,
      outcome: view.outcome,
      rcode: answer?.rcode ?? null,
      records: recordsOf(view),
      negativeTtl: answer?.negativeTtl ?? null,
    }
  }
  const { zone, source } = everywhere
  const servers = everywhere.servers.map(observed)
  return { at: now, hostname, zone, delegated, source, servers, wildcard, challenge, resolvers, caa }

  function recordsOf({ answers }: ServerView): SeenRecord[] {
    return ownRecords(
      hostname,
      routingTypes.map((type) => answers[type]),
    )
  }
}

/** Silence is something that was seen; a fault of ours is not. All time limits begin with the observation. */
function unlessSilent<T>(work: Promise<T>, otherwise: T): Promise<T> {
  return withinBudget(work, deadline).catch((error: unknown) => {
    if (error instanceof DnsFault || error instanceof TooSlow) return otherwise
    throw error
  })
}

/** The answer to A repeats the CNAME, and has the addresses of what that leads to, which are not the name's own. */
function ownRecords(hostname: string, answers: (DnsAnswer | null | undefined)[]): SeenRecord[] {
  const seen = new Map<string, SeenRecord>()
  for (const { name, type, value, ttl } of answers.flatMap((answer) => answer?.answers ?? [])) {
    if (name !== hostname || (type !== 'CNAME' && type !== 'A' && type !== 'AAAA')) continue
    seen.set(`${type} ${value}`, { type, value, ttl })
  }
  return [...seen.values()]
}

/** Values that every server gives: one that is forgotten, or in other hands, proves nothing by itself. */
async function challengeAt(dns: Dns, hostname: string): Promise<string[] | null> {
  const { servers } = await dns.askEverywhere(challengeName(hostname), ['TXT'])
  const given = servers
    .filter(({ outcome }) => outcome === 'answered')
    .map(({ answers }) => (answers.TXT?.answers ?? []).filter(({ type }) => type === 'TXT'))
    .map((records) => new Set(records.map(({ value }) => value)))
  if (given.length === 0) return null
  return [...given.reduce((common, values) => common.intersection(values))]
}

async function viewOfResolvers(
  dns: Dns,
  hostname: string,
  decisive: 'A' | 'CNAME',
): Promise<ResolverObservation> {
  const answers = await Promise.all(routingTypes.map((type) => unlessFault(dns.resolve(hostname, type))))
  const answer = answers[routingTypes.indexOf(decisive)] ?? null
  if (answer === null) return silence
  const { rcode, negativeTtl } = answer
  const dnssecFailure = rcode === 'SERVFAIL' && (await answersUnchecked(dns, hostname, decisive))
  return { rcode, records: ownRecords(hostname, answers), negativeTtl, dnssecFailure }
}

/** A resolver that fails, but not when it is told not to validate, distrusts the signatures. */
async function answersUnchecked(dns: Dns, hostname: string, type: 'A' | 'CNAME'): Promise<boolean> {
  const answer = await unlessFault(dns.resolve(hostname, type, { checkingDisabled: true }))
  return answer !== null && answer.rcode !== 'SERVFAIL'
}

/** False only where that is sure: the zone above is the one that answers, and knows no such name. */
async function isDelegated(dns: Dns, registrable: string): Promise<boolean> {
  const zone = await dns.findZone(registrable)
  if (zone === null || isWithin(zone.name, registrable)) return true
  return (await dns.resolve(registrable, 'SOA', { checkingDisabled: true })).rcode !== 'NXDOMAIN'
}

const tooSlowForCaa: CaaVerdict = { kind: 'unclear', why: 'CAA was not answered in time.' }

function caaOf(dns: Dns, hostname: string, identities: readonly string[]): Promise<CaaVerdict> {
  return checkCaa(hostname, identities, caaLookUpIn(dns))
}
