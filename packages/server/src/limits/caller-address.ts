import { isIPv4, isIPv6 } from 'node:net'

/** Whom an address stands for: an IPv4 address itself, the /64 of an IPv6 address, since a caller owns all of it. */
export function callerOf(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  const ipv4 = groups.slice(6).flatMap((group) => [group >> 8, group & 255])
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return ipv4.join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
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
