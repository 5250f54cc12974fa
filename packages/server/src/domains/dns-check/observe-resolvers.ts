import type { Dns, RecordType } from '../../dns/dns.ts'
import { isDefinite } from '../../dns/dns-answer.ts'
import { nullOnDnsError } from '../../dns/dns-error.ts'
import { second } from '../../kernel/clock.ts'
import { ownRecords, type ResolverObservation, routingTypes } from './observation.ts'

export const noResolverAnswer: ResolverObservation = {
  rcode: null,
  records: [],
  negativeTtl: null,
  dnssecFailure: false,
}

/** What resolvers answer for the name, and whether DNSSEC validation fails. */
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
  // A single failure may be temporary.
  const second = isFailure ? await nullOnDnsError(dns.resolve(hostname, decisive, { signal })) : first
  const { rcode, negativeTtl } = second ?? first
  const dnssecFailure =
    second?.rcode === 'SERVFAIL' && (await answersUnchecked(dns, hostname, decisive, signal))
  return { rcode, records: ownRecords(hostname, [...answers, second]), negativeTtl, dnssecFailure }
}

/** Whether resolvers repeatedly fail for the name, but answer when validation is disabled. */
export async function failsValidation(
  dns: Dns,
  name: string,
  type: RecordType,
  signal: AbortSignal,
): Promise<boolean> {
  for (let time = 1; time <= 2; time++) {
    const answer = await nullOnDnsError(dns.resolve(name, type, { signal }))
    if (answer?.rcode !== 'SERVFAIL') return false
  }
  return answersUnchecked(dns, name, type, signal)
}

/** Whether our own resolvers reply to nothing, not even about the root. */
export async function areResolversDown(dns: Dns, signal: AbortSignal): Promise<boolean> {
  return (await nullOnDnsError(dns.resolve('', 'NS', { deadlineMs: 2 * second, signal }))) === null
}

/** If a resolver fails but answers without validation, the signatures are at fault. */
async function answersUnchecked(
  dns: Dns,
  hostname: string,
  type: RecordType,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await nullOnDnsError(dns.resolve(hostname, type, { checkingDisabled: true, signal }))
  return answer !== null && isDefinite(answer)
}
