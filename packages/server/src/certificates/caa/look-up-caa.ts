import type { Dns } from '../../dns/dns.ts'
import { followCnames } from '../../dns/follow-cnames.ts'
import type { CaaLookUp } from './caa.ts'

/** Queries the resolvers. A CNAME chain without an end counts as a failure. */
export function createCaaLookUp(dns: Pick<Dns, 'resolve'>): CaaLookUp {
  return async (name, signal) => {
    const { chain, end, records } = await followCnames(dns, name, 'CAA', { signal })
    if (end !== 'records' && end !== 'empty' && end !== 'nxdomain') return 'failed'
    return {
      records: records.flatMap(({ caa }) => (caa === undefined ? [] : [caa])),
      at: chain.at(-1) ?? name,
    }
  }
}
