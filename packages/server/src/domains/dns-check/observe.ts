import { checkCaa, unread } from '../../certificates/caa.ts'
import { caaLookUpIn } from '../../certificates/look-up-caa.ts'
import { second } from '../../clock.ts'
import type { Everywhere } from '../../dns/ask-everywhere.ts'
import type { Dns, Zone } from '../../dns/dns.ts'
import { DnsFault, unlessFault } from '../../dns/dns-fault.ts'
import type { ServerView } from '../../dns/server-view.ts'
import { TooSlow, withinBudget } from '../../within-budget.ts'
import { challengeName, type Wanted } from '../records.ts'
import { type Observation, routingTypes, type SeenRecord, type ServerObservation } from './observation.ts'
import { silence, viewOfResolvers } from './observe-resolvers.ts'
import { observeSiblings } from './observe-siblings.ts'
import { findWildcard } from './observe-wildcard.ts'
import { isDelegated, zoneAbove } from './observe-zone.ts'
import { ownRecords } from './own-records.ts'

const deadline = 12 * second

const nobody: Everywhere = { zone: null, source: 'resolvers', servers: [] }
const tooSlowForCaa = unread('CAA was not answered in time.')

/** Who may issue certificates for the name. */
export interface CaaQuestion {
  identities: readonly string[]
  accountUri?: string | undefined
}

export interface Observing {
  caa: CaaQuestion
  now: number
  /** Ends the look early: then there is no observation. */
  signal?: AbortSignal | undefined
}

/**
 * Everything that can be seen of a name, all of it asked for at once. What the DNS does is never an error here. When
 * the look is over, so is every question that is still open.
 */
export async function observe(
  dns: Dns,
  wanted: Wanted,
  { caa: question, now, signal: stopping }: Observing,
): Promise<Observation> {
  stopping?.throwIfAborted()
  const { hostname, registrable } = wanted
  const decisive = wanted.kind === 'apex' ? 'A' : 'CNAME'
  const over = new AbortController()
  const { signal } = over
  const stop = () => over.abort(stopping?.reason)
  stopping?.addEventListener('abort', stop, { once: true })
  const unseen: Observation['siblings'] = (wanted.proof?.siblings ?? []).map((sibling) => {
    return { hostname: sibling.hostname, outcome: 'unclear' }
  })
  const zoneFound = unlessFault(dns.findZone(hostname, { signal }))
  const asked = zoneFound.then((zone) => dns.askEverywhere(hostname, routingTypes, { zone, signal }))
  const above = zoneFound.then((zone) => zoneAbove(dns, wanted, zone, signal))
  const isChallenged = wanted.proof !== null && wanted.proof.challenge !== null
  const [everywhere, wildcard, challenge, siblings, resolvers, zoneOver, delegated, caa] = await Promise.all([
    unlessSilent(asked, nobody),
    unlessSilent(
      asked.then(({ zone, servers }) =>
        findWildcard(dns, wanted, { zone, seen: servers.map(recordsOf), signal }),
      ),
      null,
    ),
    isChallenged ? unlessSilent(challengeAt(dns, hostname, zoneFound, signal), null) : null,
    unlessSilent(observeSiblings(dns, wanted, zoneFound, signal), unseen),
    unlessSilent(viewOfResolvers(dns, hostname, decisive, signal), silence),
    unlessSilent(above, null),
    unlessSilent(isDelegated(dns, registrable, zoneFound, signal), true),
    unlessSilent(
      checkCaa(hostname, question.identities, caaLookUpIn(dns), { ...question, signal }),
      tooSlowForCaa,
    ),
  ]).finally(() => {
    stopping?.removeEventListener('abort', stop)
    over.abort()
  })
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
  return {
    at: now,
    hostname,
    zone,
    above: zoneOver,
    delegated,
    source,
    servers,
    wildcard,
    challenge,
    siblings,
    resolvers,
    caa,
  }

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

/** Values that every server gives: one that is forgotten, or in other hands, proves nothing by itself. */
async function challengeAt(
  dns: Dns,
  hostname: string,
  zoneFound: Promise<Zone | null>,
  signal: AbortSignal,
): Promise<string[] | null> {
  const name = challengeName(hostname)
  const zone = await unlessFault(dns.findZone(name, { known: await zoneFound, signal }))
  const { servers } = await dns.askEverywhere(name, ['TXT'], { zone, signal })
  const given = servers
    .filter(({ outcome }) => outcome === 'answered')
    .map(({ answers }) => (answers.TXT?.answers ?? []).filter(({ type }) => type === 'TXT'))
    .map((records) => new Set(records.map(({ value }) => value)))
  if (given.length === 0) return null
  return [...given.reduce((common, values) => common.intersection(values))]
}
