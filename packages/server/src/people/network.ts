import { isIPv6 } from 'node:net'

/** Who an address stands for. Whoever has one IPv6 address has 2⁶⁴ of them, so those count by their /64. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined || !isIPv6(plain)) return mapped ?? plain
  const [before = '', after] = plain.toLowerCase().split('::')
  const [head, tail] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const length = (head?.length ?? 0) + (tail?.length ?? 0) + (plain.includes('.') ? 1 : 0)
  const groups = [...(head ?? []), ...Array.from({ length: 8 - length }, () => '0'), ...(tail ?? [])]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
