/** A slug is a DNS label under the platform domain; a preview puts `{deployment}--` (22 characters) before it. */
export const slugMaxLength = 40

/** Names under the platform domain that no project may have, with what they would be taken for. */
const reservedFor = {
  /** The platform's own, now or later. */
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
  /** Looked up by machines without being asked, and believed: proxies, mail clients, tunnels, mail and key policies. */
  discovery: ['autoconfig', 'autodiscover', 'isatap', 'mta-sts', 'openpgpkey', 'wpad'],
  /** Mail, names and files of the domain itself. */
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
  /** Who speaks for a domain: RFC 2142, and the mailboxes that certificate authorities write to. */
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

/** Why a slug cannot be used, in a sentence, or null when it can. */
export function slugError(slug: string): string | null {
  if (slug.length === 0 || slug.length > slugMaxLength) return `must have 1 to ${slugMaxLength} characters`
  if (!/^[a-z0-9-]+$/.test(slug)) return 'may hold lower-case letters, digits and hyphens only'
  if (slug.startsWith('-') || slug.endsWith('-')) return 'must start and end with a letter or a digit'
  if (slug.includes('--')) return 'must not hold two hyphens in a row; those mark previews'
  if (reservedSlugs.has(slug)) return `is reserved for the platform`
  return null
}

/** The slug that a folder or a title suggests, or null when nothing usable is left of it. */
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

/** How paths of HTML files look to visitors. */
export const htmlHandlings = {
  auto: 'Files without .html, folders with a trailing slash',
  'drop-trailing-slash': 'Never a trailing slash',
  'force-trailing-slash': 'Always a trailing slash',
  none: 'Exact paths and folder indexes only, no redirects',
} as const

export type HtmlHandling = keyof typeof htmlHandlings
export const htmlHandlingNames = Object.keys(htmlHandlings) as [HtmlHandling, ...HtmlHandling[]]

/** Permanent ones are remembered by browsers. 301 and 302 may turn a POST into a GET; 307 and 308 do not. */
export const redirectStatuses = [301, 302, 307, 308] as const

export type RedirectStatus = (typeof redirectStatuses)[number]
