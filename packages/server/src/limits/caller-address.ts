import { isIPv4 } from 'node:net'
import { memoize } from '../kernel/cache/memoize.ts'
import { isIPv6 } from '../kernel/ip-address.ts'

/**
 * The address in a proxy header, without port, brackets, quotes and zone; IPv4-mapped IPv6 as IPv4. Null if there is
 * none.
 */
export function plainAddress(text: string): string | null {
  const unquoted = text.replace(/^"(.*)"$/, '$1')
  const [, bracketed, afterBrackets] = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(unquoted) ?? []
  const [, bare, port = afterBrackets ?? '0'] = /^([\d.]+):(\d{1,5})$/.exec(unquoted) ?? []
  const address = (bracketed ?? bare ?? unquoted).replace(/%.*$/, '')
  if (Number(port) > 65_535) return null
  if (isIPv4(address)) return bracketed === undefined ? address : null
  return isIPv6(address) ? (mappedIPv4(groupsOf(address)) ?? address) : null
}

/** More proxies than anyone has. The client wrote anything beyond that. */
const maxHops = 20

/**
 * The addresses of X-Forwarded-For, each in one spelling, without ports, brackets or zones. Anything that is not an
 * address ends the list, and the proxy that sent it counts as the caller.
 */
export function forwardedHops(header: string): string[] {
  const addresses: string[] = []
  const hops = header.split(',').slice(-maxHops)
  for (const hop of hops.reverse()) {
    const address = plainAddress(hop.trim())
    if (address === null) break
    addresses.unshift(address)
  }
  return addresses
}

/**
 * What we count requests by: the IPv4 address, or the /64 of an IPv6 address, which belongs to one caller as a whole.
 */
export const callerOf = memoize(1_000, (address) => {
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return mappedIPv4(groups) ?? `${network.join(':')}::/64`
})

/**
 * The network of a caller, which somebody who changes addresses often has as a whole: an IPv4 /24, or an IPv6 /48.
 */
export function networkOf(address: string): string {
  const caller = callerOf(address)
  if (isIPv4(caller)) return `${caller.split('.').slice(0, 3).join('.')}.0/24`
  return caller.endsWith('::/64') ? `${caller.split(':').slice(0, 3).join(':')}::/48` : caller
}

function mappedIPv4(groups: readonly number[]): string | null {
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return null
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

function groupsOf(address: string): number[] {
  const dotted = address.slice(address.lastIndexOf(':') + 1)
  if (isIPv4(dotted)) {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
    const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    return groupsOf(address.slice(0, -dotted.length) + hex)
  }
  const [first = [], last = []] = address.split('::').map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16)),
  )
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last]
}
