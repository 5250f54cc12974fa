/**
 * Where to edit records at each DNS provider that a check recognizes by its nameservers, in the provider's own words.
 * The names are the values of `provider` in a check.
 */
export const dnsProviders = {
  Cloudflare: 'Choose the domain, then DNS → Records. Keep the proxy status at “DNS only” (the grey cloud).',
  'the lab': 'Set the records of this server’s own DNS with the button here, or with `masthead lab set`.',
  'Amazon Route 53': 'Hosted zones → the domain → Create record.',
  'Azure DNS': 'DNS zones → the domain → Recordsets → Add.',
  'Google Cloud DNS or Squarespace':
    'In Google Cloud: Network services → Cloud DNS → the zone → Add standard. In Squarespace: Domains → the domain → DNS.',
  Squarespace: 'Domains → the domain → DNS → DNS settings → Add record.',
  GoDaddy: 'Domain portfolio → the domain → DNS → Add new record.',
  Namecheap: 'Domain List → Manage → Advanced DNS → Add new record.',
  Gandi: 'Domain → the domain → DNS records → Add record.',
  OVHcloud:
    'Web Cloud → Domain names → the domain → DNS zone → Add an entry. End the value with a dot where it is a name.',
  Hetzner: 'DNS → the zone → Records → Add record. End the value with a dot where it is a name.',
  IONOS: 'Domains → the gear of the domain → DNS → Add record.',
  Strato: 'Domains → Domain management → the gear of the domain → DNS.',
  DNSimple: 'The domain → DNS → Record editor → Add.',
  'NS1 or Netlify':
    'In NS1: Zones → the zone → Add record. In Netlify: Domains → the domain → DNS records → Add new.',
  Vercel: 'Domains → the domain → DNS records → Add.',
  DigitalOcean: 'Networking → Domains → the domain → Create new record.',
  Porkbun: 'Domain management → the domain → DNS records.',
  Wix: 'Domains → the three dots of the domain → Manage DNS records.',
  Hover: 'The domain → DNS → Add a record.',
  Dynadot: 'My Domains → the domain → DNS settings.',
  'Name.com': 'My Domains → the domain → Manage DNS records.',
  Linode: 'Domains → the domain → Add a record.',
  Akamai: 'Edge DNS → the zone → Records → Add record.',
  Vultr: 'Products → Network → DNS → the domain → Add record.',
  'bunny.net': 'DNS → the zone → Add record.',
  Hostinger: 'Domains → the domain → DNS / Nameservers → Manage DNS records.',
  Infomaniak: 'Domains → the domain → DNS zone → Add a record.',
  deSEC: 'Domain management → the domain → the plus sign. End the value with a dot where it is a name.',
  ClouDNS: 'The zone → Add new record.',
  'DNS Made Easy': 'DNS → Managed DNS → the domain → Records.',
  easyDNS: 'The domain → DNS → the kind of record → Edit.',
} as const satisfies Record<string, string>

export type DnsProviderName = keyof typeof dnsProviders

/** The guides for the `provider` of a check, which can name several providers ("X and Y"). */
export function providerGuides(provider: string | null): { name: string; guide: string }[] {
  if (provider === null) return []
  const names = isKnown(provider) ? [provider] : provider.split(' and ').filter(isKnown)
  return names.map((name) => ({ name, guide: dnsProviders[name] }))
}

function isKnown(name: string): name is DnsProviderName {
  return Object.hasOwn(dnsProviders, name)
}
