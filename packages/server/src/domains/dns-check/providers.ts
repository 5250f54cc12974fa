import type { DnsProviderName } from '@masthead/contract/domains/dns-providers.ts'
import {
  type ProxyProvider,
  proxyProviderNames,
  proxyProviders,
} from '@masthead/contract/domains/proxy-providers.ts'
import { createCdns } from '../../config/cdns.ts'
import { publishedRanges } from '../../config/proxy-ranges.ts'
import { isWithin } from '../../dns/domain-name.ts'

const cdns = createCdns(publishedRanges)

/** The CDN that has the address; null if we know none. */
export function cdnOf(address: string): ProxyProvider | null {
  return cdns.of(address)
}

/** The CDN whose customers point names there; null if we know none. */
export function cdnOfTarget(name: string): ProxyProvider | null {
  const has = (provider: ProxyProvider) =>
    proxyProviders[provider].targets.some((target) => name !== target && isWithin(name, target))
  return proxyProviderNames.find(has) ?? null
}

export function isCdnTarget(name: string): boolean {
  return cdnOfTarget(name) !== null
}

/**
 * A DNS provider, recognized by the names of its nameservers, and what it calls the record that points an apex to
 * another name. `none`: only addresses are possible. `unknown`: not documented, or depends on the plan.
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

/** Our local DNS server, where records are set with a command. */
export const lab: Provider = { name: 'the lab', nameservers: /^ns\.lab\.localhost$/, apex: 'ALIAS' }

export const providers: readonly Provider[] = [
  cloudflare,
  lab,
  // Its alias records can only point to its own cloud. The same goes for Azure.
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

/** Nameservers of services that show advertisements or offer the domain for sale. */
const parking =
  /(?:^|\.)(?:sedoparking\.com|parkingcrew\.net|bodis\.com|above\.com|parklogic\.com|ztomy\.com|cashparking\.com|smartname\.com|dan\.com|undeveloped\.com|afternic\.com|uniregistrymarket\.link|hugedomains\.com|dsredirection\.com|fabulous\.com|voodoo\.com|rookdns\.com|giantpanda\.com|skenzo\.com|parkpage\.foundationapi\.com)$/

export function isParking(nameserver: string): boolean {
  return parking.test(nameserver.toLowerCase())
}

/** A zone can be hosted at several providers. */
export function providersOf(nameservers: readonly string[]): Provider[] {
  return providers.filter((provider) => nameservers.some((name) => provider.nameservers.test(name)))
}
