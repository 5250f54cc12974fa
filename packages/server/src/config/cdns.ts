import { type ProxyProvider, proxyProviderNames } from '@masthead/contract/domains/proxy-providers.ts'
import { rangeMatcher } from './address-ranges.ts'
import type { ProxyRanges } from './proxy-ranges.ts'

/** The CDNs that domains can be behind, recognized by the addresses they connect from. */
export interface Cdns {
  of(address: string): ProxyProvider | null
  /** In which it tells the visitor's address, in lower case. */
  headerOf(provider: ProxyProvider): string
  readonly headers: readonly string[]
}

export const noCdns: Cdns = { of: () => null, headerOf: () => 'x-forwarded-for', headers: [] }

export function createCdns(ranges: ProxyRanges): Cdns {
  const matchers = proxyProviderNames.map((name) => ({ name, has: rangeMatcher(ranges[name].ranges) }))
  const all = proxyProviderNames.flatMap((name) => ranges[name].ranges)
  const mayBegin = firstOctets(all.filter((range) => !range.includes(':')))
  const hasIPv6 = all.some((range) => range.includes(':'))
  return {
    of(address) {
      // Every connection asks, and nearly all are visitors' own.
      const isLong = address.includes(':')
      if (isLong ? !hasIPv6 && !address.startsWith('::ffff:') : mayBegin[Number.parseInt(address, 10)] !== 1)
        return null
      return matchers.find(({ has }) => has(address))?.name ?? null
    },
    headerOf: (provider) => ranges[provider].header,
    headers: [...new Set(proxyProviderNames.map((name) => ranges[name].header))],
  }
}

/** 1 for each first octet that an address of the ranges can have. */
function firstOctets(ranges: readonly string[]): Uint8Array {
  const found = new Uint8Array(256)
  for (const range of ranges) {
    const [address = '', bits = '32'] = range.split('/')
    const first = Number.parseInt(address, 10)
    const count = 2 ** Math.max(0, 8 - Number(bits))
    const start = first - (first % count)
    found.fill(1, start, start + count)
  }
  return found
}
