/** How URLs map to HTML files. */
export const htmlHandlings = {
  auto: 'Files without .html, folders with a trailing slash',
  'drop-trailing-slash': 'Never a trailing slash',
  'force-trailing-slash': 'Always a trailing slash',
  none: 'Exact paths and folder indexes only, no redirects',
} as const

export type HtmlHandling = keyof typeof htmlHandlings
export const htmlHandlingNames = Object.keys(htmlHandlings) as [HtmlHandling, ...HtmlHandling[]]

/**
 * For how many seconds browsers may show the version they have while they ask for a new one, which their next visit shows.
 * The named ones are those that people choose from.
 */
export const staleTimes = { 0: 'Never', 60: '1 minute', 3600: '1 hour', 86400: '1 day' } as const
export const staleTimeMax = 86_400

/** Browsers cache the permanent ones. 301 and 302 may turn a POST into a GET; 307 and 308 do not. */
export const redirectStatuses = [301, 302, 307, 308] as const

export type RedirectStatus = (typeof redirectStatuses)[number]

/** What the password of a project protects. */
export const protectionScopes = {
  site: 'The whole site and its previews',
  previews: 'Previews only',
  paths: 'Some paths, also in previews',
} as const

export type ProtectionScope = keyof typeof protectionScopes
export const protectionScopeNames = Object.keys(protectionScopes) as [ProtectionScope, ...ProtectionScope[]]

export const protectionLimits = {
  passwordMin: 8,
  /** Bytes of UTF-8, so that a sign-in form stays small. */
  passwordBytes: 128,
  userBytes: 64,
  paths: 50,
  pathLength: 200,
  noteLength: 200,
  /** In the files of one deployment: paths, passwords, and passwords of one user. */
  rulesPerSite: 100,
  credentialsPerSite: 50,
  passwordsPerUser: 4,
} as const

/** Why a path cannot be protected, or null when it can. */
export function protectedPathError(path: string): string | null {
  if (!path.startsWith('/')) return 'must start with a slash'
  if (path.length > protectionLimits.pathLength)
    return `must have at most ${protectionLimits.pathLength} characters`
  if (/[?#*\\\p{Cc}]/u.test(path))
    return 'is a plain path, without *, query or fragment: /members covers /members/ too'
  if (path.split('/').some((segment) => segment === '.' || segment === '..'))
    return 'must not contain . or ..'
  if (/%[0-9a-f]{2}/i.test(path)) return 'must not be percent-encoded; write it as people read it'
  return null
}

/** One spelling of a protected path, without slashes at the end: it covers itself and everything below it. */
export function normalizeProtectedPath(path: string): string {
  const merged = path.normalize('NFC').replace(/\/{2,}/g, '/')
  return merged.length > 1 ? merged.replace(/\/$/, '') : merged
}
