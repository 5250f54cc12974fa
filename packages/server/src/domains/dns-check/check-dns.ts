import type { Dns } from '../../dns/dns.ts'
import { Problem } from '../../problem.ts'
import type { DomainContext } from '../context.ts'
import type { StoredCheck } from '../domain.ts'
import { wantedFor } from '../records.ts'
import { judge, toDnsCheck } from './judge.ts'
import { observe } from './observe.ts'

export type CheckContext = Pick<DomainContext, 'dns' | 'naming' | 'now'>

export interface NameToCheck {
  hostname: string
  /** Null: it belongs to nobody yet, so nothing can be missing. */
  target: string | null
  /** Null: the TXT record is not asked for. */
  challenge: string | null
}

const mostFlights = 1_000
const flightsOf = new WeakMap<Dns, Map<string, Promise<StoredCheck>>>()

/** Looks at the DNS of a name and judges it. Those who ask for the same at the same time share one look. */
export async function checkDns(context: CheckContext, name: NameToCheck): Promise<StoredCheck> {
  const flights = flightsOf.get(context.dns) ?? new Map<string, Promise<StoredCheck>>()
  flightsOf.set(context.dns, flights)
  const key = JSON.stringify([name.hostname, name.target, name.challenge])
  const shared = flights.get(key)
  if (shared !== undefined) return shared
  if (flights.size >= mostFlights) {
    throw new Problem('unavailable', 'Too many names are being checked at the moment.', {
      headers: { 'Retry-After': '5' },
    })
  }
  const flight = look(context, name).finally(() => flights.delete(key))
  flights.set(key, flight)
  return flight
}

async function look({ dns, naming, now }: CheckContext, name: NameToCheck): Promise<StoredCheck> {
  const wanted = wantedFor(name, naming)
  const observation = await observe(dns, wanted, naming.caIdentities, now())
  const judgement = judge(observation, wanted)
  return { check: toDnsCheck(observation, judgement), records: judgement.records }
}
