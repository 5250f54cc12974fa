import type { Dns } from '../../dns/dns.ts'
import { isDefinite } from '../../dns/dns-answer.ts'
import { unlessFault } from '../../dns/dns-fault.ts'
import { type ResolverObservation, routingTypes } from './observation.ts'
import { ownRecords } from './own-records.ts'

export const silence: ResolverObservation = {
  rcode: null,
  records: [],
  negativeTtl: null,
  dnssecFailure: false,
}

/** What resolvers say of the name, and whether they distrust its signatures. */
export async function viewOfResolvers(
  dns: Dns,
  hostname: string,
  decisive: 'A' | 'CNAME',
  signal: AbortSignal,
): Promise<ResolverObservation> {
  const answers = await Promise.all(
    routingTypes.map((type) => unlessFault(dns.resolve(hostname, type, { signal }))),
  )
  const first = answers[routingTypes.indexOf(decisive)] ?? null
  if (first === null) return silence
  const isFailure = first.rcode === 'SERVFAIL'
  // A resolver that failed once may have had a bad moment.
  const second = isFailure ? await unlessFault(dns.resolve(hostname, decisive, { signal })) : first
  const { rcode, negativeTtl } = second ?? first
  const dnssecFailure =
    second?.rcode === 'SERVFAIL' && (await answersUnchecked(dns, hostname, decisive, signal))
  return { rcode, records: ownRecords(hostname, [...answers, second]), negativeTtl, dnssecFailure }
}

/** A resolver that fails, but not when it is told not to validate, distrusts the signatures. */
async function answersUnchecked(
  dns: Dns,
  hostname: string,
  type: 'A' | 'CNAME',
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await unlessFault(dns.resolve(hostname, type, { checkingDisabled: true, signal }))
  return answer !== null && isDefinite(answer)
}
