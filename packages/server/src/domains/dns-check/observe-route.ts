import { randomBytes } from 'node:crypto'
import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { rangeMatcher } from '../../config/address-ranges.ts'
import type { Addresses } from '../../config/addresses.ts'
import { createCdns } from '../../config/cdns.ts'
import type { ProxyRanges } from '../../config/proxy-ranges.ts'
import type { Dns } from '../../dns/dns.ts'
import { isWildcard } from '../../dns/domain-name.ts'
import { challengePath } from '../../kernel/challenge-path.ts'
import { second } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'
import { FairQueue, QueueFullError } from '../../kernel/fair-queue.ts'
import type { Outgoing } from '../../outgoing/connect.ts'
import { requestText, type TextAnswer } from '../../outgoing/request-text.ts'
import { newRouteToken, type RouteAnswers } from '../../outgoing/route-token.ts'
import { PrivateAddressError, TargetError, targetRules } from '../../outgoing/target.ts'
import type { RouteAttempt, RouteObservation, Routes } from '../route.ts'

export interface RouteParts {
  dns: Pick<Dns, 'resolve'>
  addresses: Pick<Addresses, 'plain' | 'secure'>
  platformDomain: string
  ranges: ProxyRanges
  redirectsToHttps: boolean
  answers: RouteAnswers
}

const timeouts = { resolve: 4 * second, connect: 4 * second }
const answerTimeout = 5 * second
/** For one request with all its redirects. */
const deadline = 12 * second
const maxRedirects = 3
const maxAnswerBytes = 2_000
/** At once, of which each account has a share. */
const maxConcurrent = 24
const maxWaiting = 500

export function createRoutes(parts: RouteParts): Routes {
  const queue = new FairQueue({ size: maxConcurrent, maxWaiting })
  return {
    cdns: createCdns(parts.ranges),
    redirectsToHttps: parts.redirectsToHttps,
    async observe({ hostname, provider, account }, signal) {
      try {
        return await queue.run(account, () => observeRoute(parts, hostname, provider, signal))
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error
        const busy = noAnswer('unreachable', 'Too many domains are being checked at the moment')
        return { http: busy, https: busy, cached: false }
      }
    },
  }
}

/**
 * Asks for a token that only our edge can answer, as a visitor would: at the public addresses of the name, over HTTP and
 * over HTTPS; of a wildcard, at a name below it. Once more where it worked, since a second answer that is the same comes from a cache.
 */
async function observeRoute(
  parts: RouteParts,
  hostname: string,
  provider: ProxyProvider,
  signal: AbortSignal | undefined,
): Promise<RouteObservation> {
  const token = newRouteToken()
  const host = isWildcard(hostname)
    ? `masthead-${randomBytes(5).toString('hex')}${hostname.slice(1)}`
    : hostname
  const urls = {
    http: new URL(`${parts.addresses.plain(host)}${challengePath}${token}`),
    https: new URL(`${parts.addresses.secure(host)}${challengePath}${token}`),
  }
  const ask = (url: URL) => attempt(parts, { url, urls, token, hostname: host, provider, signal })
  const [http, https] = await Promise.all([ask(urls.http), ask(urls.https)])
  const worked = https.arrival !== null ? https : http.arrival !== null ? http : null
  const again = worked === null ? null : await ask(worked === https ? urls.https : urls.http)
  const ids = [http, https, again].flatMap((one) => one?.arrival?.id ?? [])
  return { http, https, cached: new Set(ids).size < ids.length }
}

interface Attempt {
  url: URL
  urls: { http: URL; https: URL }
  token: string
  hostname: string
  provider: ProxyProvider
  signal: AbortSignal | undefined
}

async function attempt(parts: RouteParts, asked: Attempt): Promise<RouteAttempt> {
  const over = AbortSignal.timeout(deadline)
  const stopping = asked.signal === undefined ? over : AbortSignal.any([over, asked.signal])
  const { ranges, isOwn } = parts.ranges[asked.provider]
  const rules = targetRules(parts.platformDomain)
  const outgoing: Outgoing = {
    dns: parts.dns,
    rules: isOwn ? { ...rules, alsoAllows: rangeMatcher(ranges) } : rules,
    timeouts,
    stopping,
  }
  try {
    return await follow(parts.answers, outgoing, asked)
  } catch (error) {
    asked.signal?.throwIfAborted()
    if (error instanceof PrivateAddressError) return noAnswer('private', error.message)
    if (error instanceof TargetError) {
      return noAnswer(error.message.includes('certificate') ? 'untrusted' : 'unreachable', error.message)
    }
    if (over.aborted) return noAnswer('unreachable', 'There was no answer in time')
    throw error
  }
}

async function follow(answers: RouteAnswers, outgoing: Outgoing, asked: Attempt): Promise<RouteAttempt> {
  const { urls, hostname } = asked
  const ports = [urls.http.port, urls.https.port]
  const seen = new Set<string>()
  for (let url = asked.url; ; ) {
    const answer = await requestText(outgoing, url, { maxBytes: maxAnswerBytes, timeout: answerTimeout })
    const { status } = answer
    const location = status >= 300 && status < 400 ? nextUrl(answer, url) : null
    if (location === null) return read(answers, answer, asked)
    seen.add(url.href)
    const shown = printableText(location.href, 200)
    // To the name itself and its own ports only, or a proxy could send us anywhere.
    if (location.hostname !== hostname || !ports.includes(location.port)) {
      return { ...noAnswer('redirected', shown), status }
    }
    if (seen.has(location.href) || seen.size > maxRedirects) return { ...noAnswer('loop', shown), status }
    url = location
  }
}

function nextUrl({ headers }: TextAnswer, base: URL): URL | null {
  const { location } = headers
  if (location === undefined || !URL.canParse(location, base.href)) return null
  const url = new URL(location, base.href)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : null
}

const challengeStatuses = [401, 403, 429, 503]

function read(answers: RouteAnswers, answer: TextAnswer, { token, hostname }: Attempt): RouteAttempt {
  const { status, headers, text } = answer
  const found = answers.open(text)
  if (found !== null && found.token === token) {
    const { id, secure, from, host } = found
    const arrival = { id, secure, from }
    if (host === hostname) return { outcome: 'arrived', status, detail: null, arrival }
    return { outcome: 'host_changed', status, detail: printableText(host, 200), arrival }
  }
  // Our own answer to an older question.
  if (found !== null) return { ...noAnswer('elsewhere', 'an older answer, from its cache'), status }
  const isPage = String(headers['content-type'] ?? '').includes('html')
  const isChallenge = headers['cf-mitigated'] !== undefined || (isPage && challengeStatuses.includes(status))
  const outcome = isChallenge ? 'challenged' : status >= 500 ? 'origin_error' : 'elsewhere'
  return { ...noAnswer(outcome, null), status }
}

function noAnswer(outcome: RouteAttempt['outcome'], detail: string | null): RouteAttempt {
  return { outcome, status: null, detail, arrival: null }
}
