import type { Dns } from '../../dns/dns.ts'
import { nullOnDnsError } from '../../dns/dns-error.ts'
import { normalizeName } from '../../dns/domain-name.ts'
import type { DelegationOutcome } from '../domain.ts'
import { ownRecords } from './observation.ts'

/** Whether all nameservers have the CNAME that delegates the challenges of a name. A single one proves nothing. */
export async function observeDelegation(
  dns: Pick<Dns, 'askNameservers'>,
  { fqdn, value }: { fqdn: string; value: string },
  signal?: AbortSignal,
): Promise<DelegationOutcome> {
  const views = await nullOnDnsError(dns.askNameservers(fqdn, ['CNAME'], { signal }))
  const answered = views?.servers.filter(({ outcome }) => outcome === 'answered') ?? []
  if (answered.length === 0) return 'unclear'
  const leadsHere = answered.every(({ answers }) => {
    const records = ownRecords(fqdn, [answers.CNAME])
    return records.length === 1 && records.every((record) => normalizeName(record.value) === value)
  })
  return leadsHere ? 'delegated' : 'missing'
}
