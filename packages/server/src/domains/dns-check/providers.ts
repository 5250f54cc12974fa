import { BlockList, isIPv6 } from 'node:net'
import type { DnsProviderName } from '@masthead/contract/domains/dns-providers.ts'

/** Where Cloudflare's proxy answers, by its list at cloudflare.com/ips after the change of 2021-04-08. */
const proxyRanges = [
  '173.245.48.0/20',
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '141.101.64.0/18',
  '108.162.192.0/18',
  '190.93.240.0/20',
  '188.114.96.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '162.158.0.0/15',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '172.64.0.0/13',
  '131.0.72.0/22',
  '2400:cb00::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2405:b500::/32',
  '2405:8100::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
]

const proxy = new BlockList()
for (const range of proxyRanges) {
  const [address = '', bits] = range.split('/')
  proxy.addSubnet(address, Number(bits), familyOf(address))
}

export function isCloudflareProxy(address: string): boolean {
  return proxy.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

/**
 * Who runs a zone, told by the names of its nameservers, and what each has for an apex: the record type that leads
 * it to another name, by the word the provider uses. `none`: only addresses can be set. `unknown`: not told in
 * their documentation, or different by plan.
 */
export interface Provider {
  name: DnsProviderName
  nameservers: RegExp
  apex: 'ALIAS' | 'ANAME' | 'CNAME' | 'none' | 'unknown'
}

export const cloudflare: Provider = {
  name: 'Cloudflare',
  nameservers: /\.(?:ns\.cloudflare\.com|foundationdns\.(?:com|net|org))$/,
  apex: 'CNAME',
}

/** Our own DNS on a laptop, where records are set by a command. */
export const lab: Provider = { name: 'the lab', nameservers: /^ns\.lab\.localhost$/, apex: 'ALIAS' }

export const providers: readonly Provider[] = [
  cloudflare,
  lab,
  // Its alias records lead to resources of its own cloud only; so do those of Azure.
  { name: 'Amazon Route 53', nameservers: /\.awsdns-\d+\.(?:com|net|org|co\.uk)$/, apex: 'none' },
  { name: 'Azure DNS', nameservers: /\.azure-dns\.(?:com|net|org|info)$/, apex: 'none' },
  { name: 'Google Cloud DNS or Squarespace', nameservers: /\.googledomains\.com$/, apex: 'ALIAS' },
  { name: 'Squarespace', nameservers: /\.squarespacedns\.com$/, apex: 'unknown' },
  { name: 'GoDaddy', nameservers: /\.domaincontrol\.com$/, apex: 'none' },
  { name: 'Namecheap', nameservers: /\.(?:registrar-servers|namecheaphosting)\.com$/, apex: 'ALIAS' },
  { name: 'Gandi', nameservers: /\.gandi\.net$/, apex: 'ALIAS' },
  { name: 'OVHcloud', nameservers: /\.(?:ovh\.(?:net|ca)|anycast\.me)$/, apex: 'none' },
  {
    name: 'Hetzner',
    nameservers: /(?:\.ns\.hetzner\.(?:com|de)|\.(?:first|second)-ns\.(?:com|de))$/,
    apex: 'none',
  },
  { name: 'IONOS', nameservers: /\.ui-dns\.(?:com|de|org|biz)$/, apex: 'none' },
  { name: 'Strato', nameservers: /\.rzone\.de$/, apex: 'none' },
  { name: 'DNSimple', nameservers: /\.dnsimple(?:-edge)?\.(?:com|net|org|io)$/, apex: 'ALIAS' },
  { name: 'NS1 or Netlify', nameservers: /\.nsone\.net$/, apex: 'ALIAS' },
  { name: 'Vercel', nameservers: /\.vercel-dns(?:-\d+)?\.com$/, apex: 'ALIAS' },
  { name: 'DigitalOcean', nameservers: /\.digitalocean\.com$/, apex: 'none' },
  { name: 'Porkbun', nameservers: /\.porkbun\.com$/, apex: 'ALIAS' },
  { name: 'Wix', nameservers: /\.wixdns\.net$/, apex: 'none' },
  { name: 'Hover', nameservers: /\.hover\.com$/, apex: 'none' },
  { name: 'Dynadot', nameservers: /\.dynadot\.com$/, apex: 'ANAME' },
  { name: 'Name.com', nameservers: /\.name\.com$/, apex: 'ANAME' },
  { name: 'Linode', nameservers: /\.linode\.com$/, apex: 'none' },
  { name: 'Akamai', nameservers: /\.akam\.net$/, apex: 'unknown' },
  { name: 'Vultr', nameservers: /\.vultr\.com$/, apex: 'none' },
  { name: 'bunny.net', nameservers: /\.bunny\.net$/, apex: 'CNAME' },
  { name: 'Hostinger', nameservers: /\.dns-parking\.com$/, apex: 'ALIAS' },
  { name: 'Infomaniak', nameservers: /\.infomaniak\.(?:ch|com)$/, apex: 'unknown' },
  { name: 'deSEC', nameservers: /\.desec\.(?:io|org)$/, apex: 'none' },
  { name: 'ClouDNS', nameservers: /\.cloudns\.net$/, apex: 'ALIAS' },
  { name: 'DNS Made Easy', nameservers: /\.dnsmadeeasy\.com$/, apex: 'ANAME' },
  { name: 'easyDNS', nameservers: /\.easydns\.(?:com|net|org)$/, apex: 'ANAME' },
]

/** Several, where a zone is kept at several. */
export function providersOf(nameservers: readonly string[]): Provider[] {
  return providers.filter((provider) => nameservers.some((name) => provider.nameservers.test(name)))
}
