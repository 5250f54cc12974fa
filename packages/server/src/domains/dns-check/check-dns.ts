import type { DomainKind } from '@masthead/contract/domains/states.ts'
import { readAccountUrl } from '../../certificates/acme-account/registration.ts'
import type { CaaQuestion } from '../../certificates/caa/caa.ts'
import type { Dns } from '../../dns/dns.ts'
import { Problem } from '../../kernel/problem.ts'
import { AbortableSingleFlight } from '../../kernel/single-flight.ts'
import type { DomainContext } from '../context.ts'
import type { StoredCheck } from '../domain.ts'
import { type Coverage, type ProofRequirement, wantedFor } from '../records.ts'
import { judge, toDnsCheck } from './judge.ts'
import { observe } from './observe.ts'

export type CheckContext = Pick<DomainContext, 'database' | 'dns' | 'naming' | 'now'>

export interface NameToCheck {
  hostname: string
  kind: DomainKind
  /** Null before the domain is added, when nothing can be missing yet. */
  target: string | null
  /** Null for a subdomain: its CNAME is the proof. */
  proof: ProofRequirement | null
  coverage?: Coverage | null
}

const maxConcurrentChecks = 1_000
const checksByDns = new WeakMap<Dns, AbortableSingleFlight<string, StoredCheck>>()

/** Observes and judges the DNS of a name. Concurrent calls for the same check share it. */
export function checkDns(
  context: CheckContext,
  name: NameToCheck,
  signal?: AbortSignal,
): Promise<StoredCheck> {
  const checks = checksByDns.get(context.dns) ?? new AbortableSingleFlight()
  checksByDns.set(context.dns, checks)
  const key = JSON.stringify([name.hostname, name.kind, name.target, name.proof, name.coverage])
  return checks.run(
    key,
    (stopping) => {
      if (checks.size >= maxConcurrentChecks) throw tooManyChecks()
      return observeAndJudge(context, name, stopping)
    },
    signal,
  )
}

function tooManyChecks(): Problem {
  return new Problem('unavailable', 'Too many names are being checked at the moment.', {
    headers: { 'Retry-After': '5' },
  })
}

async function observeAndJudge(
  context: CheckContext,
  name: NameToCheck,
  signal: AbortSignal,
): Promise<StoredCheck> {
  const { dns, naming, now } = context
  const wanted = wantedFor(name, naming)
  const observation = await observe(dns, wanted, { caa: await caaQuestions(context), now: now(), signal })
  const judgement = judge(observation, wanted)
  const { records, proof } = judgement
  return { check: toDnsCheck(observation, judgement), records, proof }
}

function caaQuestions(context: CheckContext): Promise<CaaQuestion[]> {
  return Promise.all(
    context.naming.authorities.map(async ({ id, identities }) => {
      if (identities.length === 0) return { identities }
      return { identities, accountUri: (await readAccountUrl(context, id)) ?? undefined }
    }),
  )
}
