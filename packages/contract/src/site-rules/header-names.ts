/** Headers that rules cannot set or remove, and why. In lower case. */
export const ownedHeaders: ReadonlyMap<string, string> = new Map([
  ...[
    'accept-ranges',
    'age',
    'content-encoding',
    'content-length',
    'content-range',
    'date',
    'etag',
    'last-modified',
    'location',
    'server',
    'status',
    'trailer',
  ].map((name) => [name, 'The server sets it for every file. Remove the line.'] as const),
  ...[
    'allow',
    'alt-svc',
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-connection',
    'te',
    'transfer-encoding',
    'upgrade',
    'www-authenticate',
  ].map((name) => [name, 'It is about the connection, which the server manages. Remove the line.'] as const),
  ['basic-auth', 'Remove the lines that set it instead.'],
])

/**
 * What proxies obey when a server behind them sends it: they show files of their own, fetch other addresses, or take the
 * server for broken. X-LiteSpeed-Cache-Control is for caches, as others of that name are.
 */
const proxyCommand = /^x-(?:accel-|envoy-|lighttpd-|litespeed-(?!cache-control$)|reproxy-|sendfile)/i

/** Why a rule cannot set or remove a header; null if it can. */
export function ownedBecause(name: string): string | null {
  if (proxyCommand.test(name)) return 'Proxies in front of the server obey it. Remove the line.'
  return ownedHeaders.get(name.toLowerCase()) ?? null
}

/** Lists that a rule adds to, because the server depends on what it puts there itself. */
export const addedHeaders: ReadonlySet<string> = new Set(['vary', 'link', 'x-robots-tag'])

/** Sent once per value: commas are part of a cookie. */
export const separateHeader = 'set-cookie'

/** Two values of these are invalid, or contradict each other. Besides them, those that caches go by. */
const singleHeaders: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-max-age',
  'content-disposition',
  'content-language',
  'content-location',
  'content-type',
  'cross-origin-embedder-policy',
  'cross-origin-embedder-policy-report-only',
  'cross-origin-opener-policy',
  'cross-origin-opener-policy-report-only',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'pragma',
  'referrer-policy',
  'refresh',
  'retry-after',
  'service-worker-allowed',
  'sourcemap',
  'strict-transport-security',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-ua-compatible',
  'x-xss-protection',
])

/** Whether a header has one value, so that a rule replaces what another one set. In lower case. */
export function hasOneValue(name: string): boolean {
  return singleHeaders.has(name) || isCachingHeader(name)
}

export const headerNamePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Some of these fields are for CDNs only. */
const cachingHeader = /cache-control$|^surrogate-control$|^edge-control$|^expires$/i

/** Whether caches go by a header with this name. */
export function isCachingHeader(name: string): boolean {
  return cachingHeader.test(name)
}

/** `no-cache="Name"` is about one field of the answer only. `!no-store`, in Edge-Control, is the opposite. */
const neverUnasked = /(?<![\w!-])no-(?:store|cache)(?![\w="-])/i
const lifetime = /(?<![\w-])(max-age|s-maxage|stale-while-revalidate|stale-if-error)\s*=\s*"?(\d+)/gi

/** Whether a cache may use an answer with this Cache-Control again without asking. One that says nothing lets it guess. */
export function allowsReuse(value: string): boolean {
  if (neverUnasked.test(value)) return false
  let isDecided = false
  for (const [, name = '', seconds] of value.matchAll(lifetime)) {
    if (Number(seconds) > 0) return true
    // Browsers read nothing else, and guess without it.
    isDecided ||= name.toLowerCase() === 'max-age'
  }
  return !isDecided
}
