import { BlockList, isIPv6 } from 'node:net'
import { callerOf } from '../../limits/caller-address.ts'

/** Matches the addresses and CIDR ranges of `MASTHEAD_TRUSTED_PROXIES`. */
export function proxyMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

/** The caller whose share of a limit an address uses. Null for a proxy, which speaks for many clients. */
export function callerUnlessProxy(address: string, isProxy: (address: string) => boolean): string | null {
  return isProxy(address) ? null : callerOf(address)
}
