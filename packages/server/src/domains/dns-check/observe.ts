import {
  type CaaQuestion,
  checkCaaOfAny,
  unreadableCaa,
  type ValidationMethods,
} from '../../certificates/caa/caa.ts'
import { createCaaLookUp } from '../../certificates/caa/look-up-caa.ts'
import type { NameserverViews } from '../../dns/ask-nameservers.ts'
import type { Dns } from '../../dns/dns.ts'
import { DnsError, nullOnDnsError } from '../../dns/dns-error.ts'
import { normalizeName } from '../../dns/domain-name.ts'
import type { ServerView } from '../../dns/server-view.ts'
import { second } from '../../kernel/clock.ts'
import { TimeoutError, withTimeout } from '../../kernel/with-timeout.ts'
import type { Wanted } from '../records.ts'
import {
  type Observation,
  ownRecords,
  routingTypes,
  type SeenRecord,
  type ServerObservation,
} from './observation.ts'
import { findChallenge, observeSiblings } from './observe-proof.ts'
import { areResolversDown, noResolverAnswer, observeResolvers } from './observe-resolvers.ts'
import { findWildcard, isDelegated, zoneAbove } from './observe-zone.ts'

const deadline = 12 * second

const noServers: NameserverViews = { zone: null, source: 'resolvers', servers: [] }
const tooSlowForCaa = unreadableCaa('CAA was not answered in time.')

export type FindMethods = (signal: AbortSignal) => Promise<ValidationMethods>

export interface ObserveOptions {
  /** One for each certificate authority. */
  caa: readonly CaaQuestion[]
  /** How the name can be proved to them. */
  findMethods: FindMethods
  now: number
  /** Aborts the observation. */
  signal?: AbortSignal | undefined
}

/**
 * Observes everything about a name at once. DNS failures are part of the observation, not errors. All open queries are
 * aborted at the end.
 */
export async function observe(
  dns: Dns,
  wanted: Wanted,
  { caa: questions, findMethods, now, signal: stopping }: ObserveOptions,
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
  const zoneFound = nullOnDnsError(dns.findZone(hostname, { signal }))
  const asked = zoneFound.then((zone) => dns.askNameservers(hostname, routingTypes, { zone, signal }))
  const above = zoneFound.then((zone) => zoneAbove(dns, wanted, zone, signal))
  const isChallenged = wanted.proof !== null && wanted.proof.challenge !== null
  const [everywhere, wildcard, challenge, siblings, resolvers, zoneOver, delegated, isOffline, caa] =
    await Promise.all([
      orOnTimeout(asked, noServers),
      orOnTimeout(
        asked.then(({ zone, servers }) =>
          findWildcard(dns, wanted, { zone, seen: servers.map(recordsOf), signal }),
        ),
        null,
      ),
      isChallenged
        ? orOnTimeout(findChallenge(dns, wanted.proof?.at ?? hostname, zoneFound, signal), null)
        : null,
      orOnTimeout(observeSiblings(dns, wanted, zoneFound, signal), unseen),
      orOnTimeout(observeResolvers(dns, hostname, decisive, signal), noResolverAnswer),
      orOnTimeout(above, null),
      orOnTimeout(isDelegated(dns, registrable, zoneFound, signal), true),
      orOnTimeout(
        asked.then(({ zone, servers }) => {
          const isAnswered = zone !== null || servers.some(({ outcome }) => outcome === 'answered')
          return isAnswered ? false : areResolversDown(dns, signal)
        }),
        false,
      ),
      orOnTimeout(
        checkCaaOfAny(hostname, questions, createCaaLookUp(dns), () => findMethods(signal), signal),
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
  const dname = everywhere.servers.flatMap(({ answers }) => answers[decisive]?.dname ?? []).at(0)
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
    ...(dname !== undefined && { dname: { fqdn: dname.name, value: normalizeName(dname.value) } }),
    challenge,
    siblings,
    resolvers,
    isOffline,
    caa,
  }

  function recordsOf({ answers }: ServerView): SeenRecord[] {
    return ownRecords(
      hostname,
      routingTypes.map((type) => answers[type]),
    )
  }
}

/** DNS failures and timeouts become `otherwise`; our own bugs stay errors. All timeouts start together. */
function orOnTimeout<T>(work: Promise<T>, otherwise: T): Promise<T> {
  return withTimeout(work, deadline).catch((error: unknown) => {
    if (error instanceof DnsError || error instanceof TimeoutError) return otherwise
    throw error
  })
}
