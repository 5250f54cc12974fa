/**
 * The proxies and CDNs that a domain can be behind, what they call things, and what we can and cannot check through
 * them. The server, the command line, the dashboard and docs/proxies.md all read these tables.
 */
export interface ProxyProviderFacts {
  title: string
  /** As the subject of a sentence. */
  name: string
  /** The header in which it tells the visitor's address, in lower case. */
  header: string
  /** Whether the required record stays in DNS, where the provider hides it. If not, its own record is there instead. */
  hidesRecord: boolean
  /** Names that its customers point a CNAME record to. */
  targets: readonly string[]
  /** Where it is told which server to fetch from. */
  origin: string
  /** How it must connect to us. */
  encryption: string
  /** How to keep it from answering the challenges of certificate authorities itself. */
  exemption: string
}

export const proxyProviders = {
  cloudflare: {
    title: 'Cloudflare',
    name: 'Cloudflare',
    header: 'cf-connecting-ip',
    hidesRecord: true,
    targets: ['cdn.cloudflare.net'],
    origin: 'the value of the DNS record, with its proxy status "Proxied"',
    encryption: 'Set SSL/TLS encryption to "Full (strict)".',
    exemption:
      'Add a configuration rule for the path /.well-known/acme-challenge/ that turns off security checks, and a cache rule that bypasses the cache.',
  },
  fastly: {
    title: 'Fastly',
    name: 'Fastly',
    header: 'x-forwarded-for',
    hidesRecord: false,
    targets: ['fastly.net', 'fastlylb.net'],
    origin: 'the host of the service, with TLS and without "Override host"',
    encryption: 'Turn on TLS for the host of the service, and let it verify our certificate.',
    exemption: 'Pass requests below /.well-known/acme-challenge/ to the origin (return(pass) in vcl_recv).',
  },
  other: {
    title: 'Another proxy or CDN',
    name: 'Your proxy',
    header: 'x-forwarded-for',
    hidesRecord: false,
    targets: [],
    origin: 'its origin (upstream)',
    encryption: 'Let it connect to us over HTTPS and verify our certificate.',
    exemption:
      'Let it pass requests below /.well-known/acme-challenge/ on to us, without caching and without checks.',
  },
} as const satisfies Record<string, ProxyProviderFacts>

export type ProxyProvider = keyof typeof proxyProviders
export const proxyProviderNames = Object.keys(proxyProviders) as [ProxyProvider, ...ProxyProvider[]]

/** What a check of a domain behind a proxy looks at. */
export const proxyIsChecked = [
  'that you own the domain, by a TXT record or the proof of the whole domain',
  'that a request to the public address of the domain arrives here, over HTTP and over HTTPS',
  'that the proxy keeps the host name, and does not cache or challenge what certificate authorities ask for',
  'whether the proxy connects to us over HTTPS, and from addresses that its provider has published',
] as const

/** What we cannot see from here. */
export const proxyIsNotChecked = [
  'which of your files the proxy caches, and for how long: purge its cache after publishing, or let it follow Cache-Control',
  'its other rules: redirects, changed headers, blocked countries or visitors',
  'its certificate for visitors beyond our own request, and when that expires',
] as const

/** How a request through the proxy ended. */
export const routeOutcomes = {
  arrived: 'It arrived here',
  elsewhere: 'Another server answered',
  host_changed: 'It arrived here, but for another host name',
  challenged: 'The proxy asked whether we are human',
  origin_error: 'The proxy could not reach us',
  redirected: 'It was redirected to another host',
  loop: 'It was redirected in circles',
  untrusted: 'The certificate of the proxy is not trusted',
  unreachable: 'The proxy did not answer',
  private: 'The domain points to a private address',
} as const

export type RouteOutcome = keyof typeof routeOutcomes
export const routeOutcomeNames = Object.keys(routeOutcomes) as [RouteOutcome, ...RouteOutcome[]]
