import { isIPv6 as hasIPv6Syntax, isIPv4 } from 'node:net'

/** As in node:net, whose pattern for IPv6 takes 20 ms to compile. Names and IPv4 addresses need not wait for it. */
export function isIP(text: string): 0 | 4 | 6 {
  if (isIPv6(text)) return 6
  return isIPv4(text) ? 4 : 0
}

export function isIPv6(text: string): boolean {
  return text.includes(':') && hasIPv6Syntax(text)
}
