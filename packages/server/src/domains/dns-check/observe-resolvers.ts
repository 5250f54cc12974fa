import type { Dns } from '../../dns/dns.ts'
import { isDefinite } from '../../dns/dns-answer.ts'
import { nullOnDnsError } from '../../dns/dns-error.ts'
import { ownRecords, type ResolverObservation, routingTypes } from './observation.ts'

export const noResolverAnswer: ResolverObservation = {
  rcode: null,
  records: [],
  negativeTtl: null,
  dnssecFailure: false,
}

/** What resolvers say of the name, and whether they distrust its signatures. */
export async function observeResolvers(
  dns: Dns,
  hostname: string,
  decisive: 'A' | 'CNAME',
  signal: AbortSignal,
): Promise<ResolverObservation> {
  const answers = await Promise.all(
    routingTypes.map((type) => nullOnDnsError(dns.resolve(hostname, type, { signal }))),
  )
  const first = answers[routingTypes.indexOf(decisive)] ?? null
  if (first === null) return noResolverAnswer
  const isFailure = first.rcode === 'SERVFAIL'
  // A resolver that failed once may have had a bad moment.
  const second = isFailure ? await nullOnDnsError(dns.resolve(hostname, decisive, { signal })) : first
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
  const answer = await nullOnDnsError(dns.resolve(hostname, type, { checkingDisabled: true, signal }))
  return answer !== null && isDefinite(answer)
}
