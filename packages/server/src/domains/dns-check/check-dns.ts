import { readAccountUrl } from '../../certificates/acme-account/registration.ts'
import type { Dns } from '../../dns/dns.ts'
import { Problem } from '../../kernel/problem.ts'
import type { DomainContext } from '../context.ts'
import type { StoredCheck } from '../domain.ts'
import { type ProofRequirement, wantedFor } from '../records.ts'
import { judge, toDnsCheck } from './judge.ts'
import { type CaaQuestion, observe } from './observe.ts'

export type CheckContext = Pick<DomainContext, 'database' | 'dns' | 'naming' | 'now'>

export interface NameToCheck {
  hostname: string
  kind: 'subdomain' | 'apex'
  /** Null: it belongs to nobody yet, so nothing can be missing. */
  target: string | null
  /** Null: a subdomain, which needs no proof beside its CNAME. */
  proof: ProofRequirement | null
}

interface SharedCheck {
  look: Promise<StoredCheck>
  waiting: number
  end: AbortController
}

const maxSharedChecks = 1_000
const sharedChecksOf = new WeakMap<Dns, Map<string, SharedCheck>>()

/**
 * Looks at the DNS of a name and judges it. Those who ask for the same at the same time share one look, which ends
 * early when all of them have gone.
 */
export async function checkDns(
  context: CheckContext,
  name: NameToCheck,
  signal?: AbortSignal,
): Promise<StoredCheck> {
  signal?.throwIfAborted()
  const flight = sharedCheckFor(context, name)
  flight.waiting++
  const gone = Promise.withResolvers<never>()
  const leave = () => gone.reject(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([flight.look, gone.promise])
  } finally {
    signal?.removeEventListener('abort', leave)
    flight.waiting--
    if (flight.waiting === 0) flight.end.abort(signal?.reason)
  }
}

function sharedCheckFor(context: CheckContext, name: NameToCheck): SharedCheck {
  const flights = sharedChecksOf.get(context.dns) ?? new Map<string, SharedCheck>()
  sharedChecksOf.set(context.dns, flights)
  const key = JSON.stringify([name.hostname, name.kind, name.target, name.proof])
  const shared = flights.get(key)
  if (shared !== undefined && !shared.end.signal.aborted) return shared
  if (flights.size >= maxSharedChecks) {
    throw new Problem('unavailable', 'Too many names are being checked at the moment.', {
      headers: { 'Retry-After': '5' },
    })
  }
  const end = new AbortController()
  const flight: SharedCheck = {
    look: observeAndJudge(context, name, end.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key)
    }),
    waiting: 0,
    end,
  }
  flights.set(key, flight)
  return flight
}

async function observeAndJudge(
  context: CheckContext,
  name: NameToCheck,
  signal: AbortSignal,
): Promise<StoredCheck> {
  const { dns, naming, now } = context
  const wanted = wantedFor(name, naming)
  const observation = await observe(dns, wanted, { caa: await caaQuestion(context), now: now(), signal })
  const judgement = judge(observation, wanted)
  const { records, proof } = judgement
  return { check: toDnsCheck(observation, judgement), records, proof }
}

async function caaQuestion(context: CheckContext): Promise<CaaQuestion> {
  const { caIdentities: identities, caDirectory } = context.naming
  if (caDirectory === undefined || identities.length === 0) return { identities }
  return { identities, accountUri: (await readAccountUrl(context, caDirectory)) ?? undefined }
}
