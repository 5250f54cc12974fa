import type { DomainKind } from '@masthead/contract/domains/states.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { readAccountUrl } from '../../certificates/acme-account/registration.ts'
import type { CaaQuestion } from '../../certificates/caa/caa.ts'
import type { Dns } from '../../dns/dns.ts'
import { AbortableSingleFlight } from '../../kernel/single-flight.ts'
import type { DomainContext } from '../context.ts'
import type { StoredCheck } from '../domain.ts'
import {
  type Coverage,
  type ProofRequirement,
  type ProxyRequirement,
  type Wanted,
  wantedFor,
} from '../records.ts'
import { type RouteObservation, toRouteView } from '../route.ts'
import { isDirect, isProved, weigh } from './evidence.ts'
import { judge, toDnsCheck } from './judge.ts'
import type { Observation } from './observation.ts'
import { type FindMethods, observe } from './observe.ts'

export type CheckContext = Pick<DomainContext, 'database' | 'dns' | 'naming' | 'now' | 'routes'>

export interface NameToCheck {
  hostname: string
  kind: DomainKind
  /** Null before the domain is added, when nothing can be missing yet. */
  target: string | null
  /** Null for a subdomain: its CNAME is the proof. */
  proof: ProofRequirement | null
  coverage?: Coverage | null
  /** Set if the domain is marked as behind a proxy; whose share of our requests it uses. */
  proxy?: (ProxyRequirement & { account: Id<'account'> }) | null
  /** How we can prove it to a certificate authority. */
  findMethods: FindMethods
}

const checksByDns = new WeakMap<Dns, AbortableSingleFlight<string, StoredCheck>>()

/** Observes and judges the DNS of a name. Concurrent calls for the same check share it. */
export function checkDns(
  context: CheckContext,
  name: NameToCheck,
  signal?: AbortSignal,
): Promise<StoredCheck> {
  const checks = checksByDns.get(context.dns) ?? new AbortableSingleFlight()
  checksByDns.set(context.dns, checks)
  const key = JSON.stringify([name.hostname, name.kind, name.target, name.proof, name.coverage, name.proxy])
  return checks.run(key, (stopping) => observeAndJudge(context, name, stopping), signal)
}

async function observeAndJudge(
  context: CheckContext,
  name: NameToCheck,
  signal: AbortSignal,
): Promise<StoredCheck> {
  const { dns, naming, now } = context
  const wanted = wantedFor(name, naming)
  const observation = await observe(dns, wanted, {
    caa: await caaQuestions(context),
    findMethods: name.findMethods,
    now: now(),
    signal,
  })
  const route = await routeOf(context, { name, wanted, observation }, signal)
  const seen = route === null ? observation : { ...observation, route }
  const judgement = judge(seen, wanted, context.routes?.cdns)
  const { records, proof } = judgement
  return { check: toDnsCheck(seen, judgement), records, proof, ...proxyResult() }

  function proxyResult(): Pick<StoredCheck, 'proxy' | 'isDirect' | 'route'> {
    if (wanted.proxy === null) return {}
    const { provider } = wanted.proxy
    const shown =
      route === null || context.routes === undefined
        ? null
        : toRouteView(route, provider, context.routes.cdns)
    return { proxy: provider, isDirect: isDirect(weigh(seen, wanted)), route: shown }
  }
}

/** Our requests through the proxy, for names that the account has proved only: nobody else's sites hear from us. */
async function routeOf(
  { routes }: CheckContext,
  { name, wanted, observation }: { name: NameToCheck; wanted: Wanted; observation: Observation },
  signal: AbortSignal,
): Promise<RouteObservation | null> {
  const { proxy, hostname } = name
  if (proxy === undefined || proxy === null || routes === undefined) return null
  const evidence = weigh(observation, wanted)
  const isBehind = evidence.answers.some(({ verdict }) => verdict === 'behind')
  if (!isBehind || !isProved(evidence)) return null
  return routes.observe({ hostname, provider: proxy.provider, account: proxy.account }, signal)
}

function caaQuestions(context: CheckContext): Promise<CaaQuestion[]> {
  return Promise.all(
    context.naming.authorities.map(async ({ id, identities }) => {
      if (identities.length === 0) return { identities }
      return { identities, accountUri: (await readAccountUrl(context, id)) ?? undefined }
    }),
  )
}
