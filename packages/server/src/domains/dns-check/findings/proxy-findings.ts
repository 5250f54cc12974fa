import { proxyProviders, type RouteOutcome } from '@masthead/contract/domains/proxy-providers.ts'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Cdns } from '../../../config/cdns.ts'
import {
  hasArrived,
  isEncrypted,
  knowsVisitors,
  type RouteAttempt,
  type RouteObservation,
} from '../../route.ts'
import { type Evidence, isProved } from '../evidence.ts'
import { finding } from './finding.ts'

type Failure = Exclude<RouteOutcome, 'arrived'>

/** Whether a domain that is marked as behind a proxy leads here through it, and how well. */
export function proxyFindings(evidence: Evidence, cdns: Pick<Cdns, 'of'>): Finding[] {
  const { wanted, answers, observation } = evidence
  const isBehind = answers.some(({ verdict }) => verdict === 'behind')
  // We send no requests to names that the account has not proved. What proves them is said elsewhere.
  if (wanted.proxy === null || !isBehind || !isProved(evidence)) return []
  const { route } = observation
  if (route === undefined) return [notAsked(evidence)]
  if (!hasArrived(route)) return [notArrived(evidence, mostTelling(route))]
  return [
    ...loopOrPlain(evidence, route),
    ...withoutHttps(evidence, route),
    ...cached(evidence, route),
    ...unknownVisitors(evidence, route, cdns),
  ]
}

function factsOf({ wanted: { proxy } }: Evidence) {
  return proxyProviders[proxy?.provider ?? 'other']
}

function notAsked({ wanted: { hostname } }: Evidence): Finding {
  return finding('proxy_unreachable', {
    message: `This process cannot send requests through the proxy of ${hostname}.`,
    fix: 'Nothing to do: a live domain stays up, and we retry automatically.',
  })
}

/** What says most about the cause comes first. */
const order: readonly Failure[] = [
  'private',
  'host_changed',
  'challenged',
  'loop',
  'redirected',
  'elsewhere',
  'origin_error',
  'untrusted',
  'unreachable',
]

function mostTelling({ http, https }: RouteObservation): RouteAttempt & { outcome: Failure } {
  const failed = [http, https].filter(
    (one): one is RouteAttempt & { outcome: Failure } => one.outcome !== 'arrived',
  )
  failed.sort((one, other) => order.indexOf(one.outcome) - order.indexOf(other.outcome))
  return failed[0] ?? { ...http, outcome: 'unreachable' }
}

function notArrived(evidence: Evidence, attempt: RouteAttempt & { outcome: Failure }): Finding {
  return wordsFor[attempt.outcome](evidence, attempt)
}

const wordsFor: Record<Failure, (evidence: Evidence, attempt: RouteAttempt) => Finding> = {
  private: ({ wanted: { hostname } }) =>
    finding('proxy_private', {
      message: `${hostname} points to a private address, where we send no requests.`,
      fix: 'Point it to the public address of your proxy. For a proxy in a private network, the operator of this server has to name its addresses.',
    }),
  host_changed: (evidence, { detail }) =>
    finding('proxy_host', {
      message: `Requests for ${evidence.wanted.hostname} arrive here as requests for ${detail}.`,
      fix: `Let ${named(evidence)} keep the host name of the visitor (Host: ${evidence.wanted.hostname}), also for TLS (SNI).`,
    }),
  challenged: (evidence, { status }) =>
    finding('proxy_challenge', {
      message: `${factsOf(evidence).name} answers our request with a check for visitors (status ${status}). Certificate authorities get it too and cannot pass it.`,
      fix: factsOf(evidence).exemption,
    }),
  loop: (evidence) => loop(evidence),
  redirected: (evidence, { detail }) =>
    finding('proxy_elsewhere', {
      message: `${factsOf(evidence).name} redirects ${evidence.wanted.hostname} to ${detail}.`,
      fix: `Let requests below /.well-known/acme-challenge/ pass, or remove the redirect and set it up here. ${originFix(evidence)}`,
    }),
  elsewhere: (evidence, { status, detail }) =>
    finding('proxy_elsewhere', {
      message: `Requests for ${evidence.wanted.hostname} do not arrive here: something else answers${detail === null ? '' : `, ${detail}`} (status ${status}).`,
      fix: originFix(evidence),
    }),
  origin_error: (evidence, { status }) =>
    finding('proxy_error', {
      message: `${factsOf(evidence).name} answers, but cannot reach us (status ${status}${explained(status)}).`,
      fix: originErrorFix(evidence, status),
    }),
  untrusted: ({ wanted: { hostname } }, { detail }) =>
    finding('proxy_unreachable', {
      message: `We could not connect to ${hostname} securely, and not without encryption either. ${detail}.`,
      fix: 'Set up a certificate for visitors at your proxy. We retry automatically, and a live domain stays up.',
    }),
  unreachable: ({ wanted: { hostname } }, { detail }) =>
    finding('proxy_unreachable', {
      message: `We got no answer from ${hostname}. ${detail}.`,
      fix: 'Check that your proxy is set up for this name. We retry automatically, and a live domain stays up.',
    }),
}

function named(evidence: Evidence): string {
  const { name } = factsOf(evidence)
  return name === 'Your proxy' ? 'your proxy' : name
}

function originFix(evidence: Evidence): string {
  return `At ${named(evidence)}, set ${factsOf(evidence).origin} to ${evidence.wanted.target}.`
}

/** Cloudflare's own status codes, which say more than a 502. */
const explanations: Readonly<Record<number, string>> = {
  520: ', it did not understand our answer',
  521: ', the connection was refused',
  522: ', the connection took too long',
  523: ', the address of the origin is wrong',
  524: ', our answer took too long',
  525: ', the TLS handshake failed',
  526: ', it did not accept our certificate',
  530: ', the name of the origin was not found',
}

function explained(status: number | null): string {
  return explanations[status ?? 0] ?? ''
}

/** A proxy that insists on HTTPS cannot reach us before there is a certificate. */
function originErrorFix(evidence: Evidence, status: number | null): string {
  const isTls = status === 525 || status === 526
  if (!isTls && status !== 502) return `${originFix(evidence)} We retry automatically.`
  return (
    `${originFix(evidence)} If we have no certificate for the name yet: let plain HTTP pass below ` +
    '/.well-known/acme-challenge/ until we have one, or delegate its challenges to us (DNS-01), or upload your own. We retry automatically.'
  )
}

function loop(evidence: Evidence): Finding {
  const { hostname } = evidence.wanted
  return finding('proxy_loop', {
    message: `Visitors of ${hostname} are redirected in circles: the proxy connects to us without encryption, and we redirect that to HTTPS.`,
    fix: `${factsOf(evidence).encryption} "Flexible" encryption does not work with a site that redirects to HTTPS.`,
  })
}

function loopOrPlain(evidence: Evidence, route: RouteObservation): Finding[] {
  const { proxy, hostname } = evidence.wanted
  if (isEncrypted(route) !== false) return []
  if (proxy?.redirects === true) return [loop(evidence)]
  return [
    finding('proxy_plain', {
      message: `Visitors reach ${hostname} over HTTPS, but the proxy connects to us without encryption.`,
      fix: `Once the certificate is installed: ${factsOf(evidence).encryption}`,
    }),
  ]
}

function withoutHttps(evidence: Evidence, { https }: RouteObservation): Finding[] {
  if (https.outcome === 'arrived') return []
  const { hostname, proxy } = evidence.wanted
  const why =
    https.detail ?? (https.status === null ? null : `status ${https.status}${explained(https.status)}`)
  const isEarly = proxy?.redirects !== true
  return [
    finding('proxy_https', {
      message: `https://${hostname} does not arrive here through the proxy yet${why === null ? '' : ` (${why})`}.`,
      fix: isEarly
        ? `Nothing to do until the certificate is installed. Then: ${factsOf(evidence).encryption}`
        : factsOf(evidence).encryption,
    }),
  ]
}

function cached(evidence: Evidence, route: RouteObservation): Finding[] {
  if (!route.cached) return []
  return [
    finding('proxy_cached', {
      message: `${factsOf(evidence).name} cached an answer below /.well-known/acme-challenge/ that forbids caching. A certificate authority may get an old one.`,
      fix: factsOf(evidence).exemption,
    }),
  ]
}

function unknownVisitors(evidence: Evidence, route: RouteObservation, cdns: Pick<Cdns, 'of'>): Finding[] {
  const provider = evidence.wanted.proxy?.provider ?? 'other'
  if (knowsVisitors(route, provider, cdns) !== false) return []
  const from = (route.https.arrival ?? route.http.arrival)?.from ?? ''
  const title = proxyProviders[provider].title
  return [
    finding('proxy_addresses', {
      message:
        provider === 'other'
          ? `The proxy connects from ${from}. Its provider is not one we know, so all its visitors count as one address.`
          : `The proxy connects from ${from}, which is not one of the addresses that ${title} has published. Its visitors count as one address.`,
      fix: 'This only matters for limits, such as those for passwords of protected sites. The operator of this server can name the addresses of proxies (MASTHEAD_PROXY_RANGES).',
    }),
  ]
}
