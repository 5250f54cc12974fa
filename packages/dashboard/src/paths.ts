/**
 * Every URL of the dashboard. Secrets and return paths go into the fragment, which browsers never send to a server
 * and which survives a reload.
 */
export const paths = {
  /** Redirects to the projects of the account that was opened last. */
  home: () => '/',
  projects: (account: string) => `/accounts/${segment(account)}`,
  newProject: (account: string) => `${paths.projects(account)}/new`,
  keys: (account: string) => `${paths.projects(account)}/keys`,
  newKey: (account: string) => `${paths.keys(account)}#new`,
  proofs: (account: string) => `${paths.projects(account)}/proofs`,
  webhooks: (account: string) => `${paths.projects(account)}/webhooks`,
  usage: (account: string) => `${paths.projects(account)}/usage`,
  activity: (account: string) => `${paths.projects(account)}/activity`,
  members: (account: string) => `${paths.projects(account)}/members`,
  invite: (account: string) => `${paths.members(account)}#invite`,
  plan: (account: string) => `${paths.projects(account)}/plan`,
  project: (slug: string) => `/projects/${segment(slug)}`,
  deployments: (slug: string) => `${paths.project(slug)}/deployments`,
  deployment: (slug: string, id: string) => `${paths.deployments(slug)}/${segment(id)}`,
  projectActivity: (slug: string) => `${paths.project(slug)}/activity`,
  settings: (slug: string) => `${paths.project(slug)}/settings`,
  domains: (slug: string) => `${paths.settings(slug)}/domains`,
  domain: (slug: string, hostname: string) => `${paths.domains(slug)}/${segment(hostname)}`,
  /** Of one domain, or of all. No hostname is just `records`. */
  domainRecords: (slug: string, hostname = '') =>
    `${paths.domains(slug)}/records${hostname === '' ? '' : `?domain=${encodeURIComponent(hostname)}`}`,
  serving: (slug: string) => `${paths.settings(slug)}/serving`,
  protection: (slug: string) => `${paths.settings(slug)}/protection`,
  dangerZone: (slug: string) => `${paths.settings(slug)}/danger-zone`,
  person: () => '/person',
  operatorAccounts: () => '/operator',
  operatorSites: () => '/operator/sites',
  operatorPeople: () => '/operator/people',
  operatorBans: () => '/operator/bans',
  operatorCertificates: () => '/operator/certificates',
  operatorHealth: () => '/operator/health',
  welcome: (token?: string) => withFragment('/welcome', token),
  signIn: (backTo?: string) => withBackTo('/sign-in', backTo),
  signUp: (backTo?: string) => withBackTo('/sign-up', backTo),
  join: (token?: string) => withFragment('/join', token),
  resetPassword: (token?: string) => withFragment('/reset-password', token),
  commandLine: (code?: string) => withFragment('/cli', code),
  /** With a request in the fragment, by the sign-in page of a protected site. */
  enterSite: () => '/enter-site',
  /** Served by the API, not by the dashboard. */
  docs: () => '/docs',
} as const

/** Guides of this server that pages lead to, and what the links say. */
export const guides = {
  activity: { path: '/docs/events', title: 'Every kind of event' },
  bans: { path: '/docs/limits#when-a-key-ignores-its-limit', title: 'How bans work' },
  certificates: { path: '/docs/certificates', title: 'How certificates work' },
  commandLine: { path: '/docs/cli', title: 'Every command' },
  domains: { path: '/docs/domains', title: 'How custom domains work' },
  findings: { path: '/docs/findings', title: 'What checks can find' },
  health: { path: '/docs/operations#health', title: 'About health checks' },
  keys: { path: '/docs/api#keys', title: 'About keys and scopes' },
  members: { path: '/docs/dashboard#people', title: 'What members can do' },
  protection: { path: '/docs/protected-sites', title: 'About protected sites' },
  proxies: { path: '/docs/proxies', title: 'Domains behind a proxy' },
  rules: { path: '/docs/site-rules', title: 'How rules work' },
  serving: { path: '/docs/serving', title: 'How files are served' },
  usage: { path: '/docs/limits', title: 'How limits work' },
  webhooks: { path: '/docs/webhooks', title: 'How to verify it' },
} as const

export type Guide = keyof typeof guides

/** Does not encode a route pattern such as `:project`. */
function segment(value: string): string {
  return value.startsWith(':') ? value : encodeURIComponent(value)
}

function withFragment(path: string, fragment: string | undefined): string {
  return fragment === undefined || fragment === '' ? path : `${path}#${encodeURIComponent(fragment)}`
}

function withBackTo(path: string, backTo: string | undefined): string {
  return withFragment(path, backTo === '/' ? undefined : backTo)
}

/** The decoded value of `location.hash`. */
export function fragmentValue(hash: string): string {
  const raw = hash.replace(/^#/, '')
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

/** The path to open after signing in, limited to this dashboard. */
export function backTo(hash: string): string {
  const wanted = fragmentValue(hash)
  const here = 'http://dashboard.invalid'
  // Browsers treat a path like //evil.example or /\evil.example as another host.
  if (!wanted.startsWith('/') || !URL.canParse(wanted, here)) return paths.home()
  const url = new URL(wanted, here)
  return url.origin === here ? url.pathname + url.search + url.hash : paths.home()
}
