import { readFileSync } from 'node:fs'
import { type ProxyProvider, proxyProviders } from '@masthead/contract/domains/proxy-providers.ts'
import { isRange, type Read } from './config-values.ts'

/** From where a provider connects to us, and the header in which it tells the visitor's address. */
export interface ProxyNetwork {
  ranges: readonly string[]
  /** In lower case. */
  header: string
  /** Whether the operator named the ranges, so that private ones are meant. */
  isOwn: boolean
}

export type ProxyRanges = Readonly<Record<ProxyProvider, ProxyNetwork>>

/**
 * Cloudflare: cloudflare.com/ips as of 2021-04-08, its last change. Fastly: public copies of
 * api.fastly.com/public-ip-list, taken on 2026-11-16. Both announce changes before they use new ranges.
 * `MASTHEAD_PROXY_RANGES` replaces them.
 */
const published: Readonly<Record<ProxyProvider, readonly string[]>> = {
  cloudflare: [
    ...['173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '141.101.64.0/18'],
    ...['108.162.192.0/18', '190.93.240.0/20', '188.114.96.0/20', '197.234.240.0/22', '198.41.128.0/17'],
    ...['162.158.0.0/15', '104.16.0.0/13', '104.24.0.0/14', '172.64.0.0/13', '131.0.72.0/22'],
    ...['2400:cb00::/32', '2606:4700::/32', '2803:f800::/32', '2405:b500::/32', '2405:8100::/32'],
    ...['2a06:98c0::/29', '2c0f:f248::/32'],
  ],
  fastly: [
    ...['23.235.32.0/20', '43.249.72.0/22', '103.244.50.0/24', '103.245.222.0/23', '103.245.224.0/24'],
    ...['104.156.80.0/20', '140.248.64.0/18', '140.248.128.0/17', '146.75.0.0/17', '151.101.0.0/16'],
    ...['157.52.64.0/18', '167.82.0.0/17', '167.82.128.0/20', '167.82.160.0/20', '167.82.224.0/20'],
    ...['172.111.64.0/18', '185.31.16.0/22', '199.27.72.0/21', '199.232.0.0/16'],
    ...['2a04:4e40::/32', '2a04:4e42::/32'],
  ],
  // Nobody has published any, so its headers count only where the operator names ranges.
  other: [],
}

export const publishedRanges: ProxyRanges = {
  cloudflare: networkOf('cloudflare', published.cloudflare, false),
  fastly: networkOf('fastly', published.fastly, false),
  other: networkOf('other', published.other, false),
}

function networkOf(provider: ProxyProvider, ranges: readonly string[], isOwn: boolean): ProxyNetwork {
  return { ranges, header: proxyProviders[provider].header, isOwn }
}

const maxBytes = 1024 ** 2
const maxRanges = 10_000
const headerPattern = /^[A-Za-z][A-Za-z0-9-]{1,63}$/

/** A JSON file: `{"fastly": {"ranges": ["192.0.2.0/24"], "header": "Fastly-Client-IP"}}`. Others stay as published. */
export const proxyRangesFile: Read<ProxyRanges> = (path) => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { fault: 'Use the path of a readable file.' }
  }
  return text.length > maxBytes ? { fault: 'The file is too large.' } : parseProxyRanges(text)
}

export function parseProxyRanges(text: string): ProxyRanges | { fault: string } {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { fault: 'The file must be JSON.' }
  }
  if (!isObject(given)) return { fault: 'The file must have an object with the names of providers.' }
  const ranges = { ...publishedRanges }
  for (const [name, network] of Object.entries(given)) {
    if (!Object.hasOwn(proxyProviders, name)) {
      return { fault: `There is no provider ${name}: use ${Object.keys(proxyProviders).join(', ')}.` }
    }
    const provider = name as ProxyProvider
    const read = isObject(network) ? readNetwork(provider, network) : null
    if (read === null) {
      return { fault: `${name} must have "ranges" (addresses or CIDR ranges), and may have "header".` }
    }
    ranges[provider] = read
  }
  return ranges
}

function readNetwork(provider: ProxyProvider, { ranges, header, ...rest }: Record<string, unknown>) {
  if (Object.keys(rest).length > 0 || !Array.isArray(ranges) || ranges.length > maxRanges) return null
  if (!ranges.every((range): range is string => typeof range === 'string' && isRange(range))) return null
  const network = networkOf(provider, ranges, true)
  if (header === undefined) return network
  if (typeof header !== 'string' || !headerPattern.test(header)) return null
  return { ...network, header: header.toLowerCase() }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
