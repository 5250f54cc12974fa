import { BlockList } from 'node:net'
import { listenerAddresses } from '../config/addresses.ts'
import { isIP, isIPv6 } from '../kernel/ip-address.ts'

/** IANA's special-purpose addresses (RFC 6890), which are not on the public internet. */
const reserved = blockListOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  // 6to4 embeds an IPv4 address, which may be any of the above.
  '2002::/16',
  '3fff::/20',
])
const globalIpv6 = blockListOf(['2000::/3'])

/** Whether we may connect to an address from a stranger's zone: not inside our own network, and not to ourselves. */
export function isPublicAddress(address: string): boolean {
  return isGlobalAddress(address) && !listenerAddresses('::').includes(address)
}

/** Whether an address is on the public internet, no matter who has it. */
export function isGlobalAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (family === 'ipv6' && !globalIpv6.check(address, family)) return false
  return !reserved.check(address, family)
}

function blockListOf(subnets: string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/')
    list.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}
