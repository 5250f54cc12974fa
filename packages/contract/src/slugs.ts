/** A slug is a DNS label under the platform domain; a preview puts `{deployment}--` (22 characters) before it. */
export const slugMaxLength = 40

/** Slugs no project can have, by what visitors or programs would mistake them for. */
const reservedFor = {
  /** Used by the platform, now or later. */
  platform: [
    'account',
    'accounts',
    'api',
    'assets',
    'auth',
    'billing',
    'cdn',
    'cname',
    'console',
    'dashboard',
    'docs',
    'id',
    'localhost',
    'login',
    'masthead',
    'oauth',
    'signin',
    'signup',
    'sso',
    'static',
    'status',
    'support',
    'www',
  ],
  /** Clients look these up automatically and trust the answer: proxies, mail clients, tunnels, mail and key policies. */
  discovery: ['autoconfig', 'autodiscover', 'isatap', 'mta-sts', 'openpgpkey', 'wpad'],
  /** Mail, DNS and file services of the domain itself. */
  services: [
    'dns',
    'email',
    'ftp',
    'imap',
    'mail',
    'mx',
    'ns',
    'ns1',
    'ns2',
    'ns3',
    'ns4',
    'pop',
    'pop3',
    'smtp',
    'webmail',
  ],
  /** Role mailboxes: RFC 2142, and the ones certificate authorities write to. */
  roles: [
    'abuse',
    'admin',
    'administrator',
    'hostmaster',
    'noc',
    'postmaster',
    'root',
    'security',
    'ssladmin',
    'ssladministrator',
    'sysadmin',
    'usenet',
    'uucp',
    'webmaster',
  ],
} as const

export const reservedSlugs: ReadonlySet<string> = new Set(Object.values(reservedFor).flat())

/** Why a slug cannot be used, or null when it can. */
export function slugError(slug: string): string | null {
  if (slug.length === 0 || slug.length > slugMaxLength) return `must have 1 to ${slugMaxLength} characters`
  if (!/^[a-z0-9-]+$/.test(slug)) return 'can only contain lower-case letters, digits and hyphens'
  if (slug.startsWith('-') || slug.endsWith('-')) return 'must start and end with a letter or a digit'
  if (slug.includes('--')) return 'must not contain two hyphens in a row, which mark previews'
  if (reservedSlugs.has(slug)) return 'is reserved for the platform'
  return null
}

/** A slug made from a folder name or a title, or null when nothing usable is left of it. */
export function suggestSlug(name: string): string | null {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMaxLength)
    .replace(/^-+|-+$/g, '')
  return slugError(slug) === null ? slug : null
}
