import type { FindingCode } from '@masthead/contract/domains/findings.ts'
import { arrived, judgeProxied, judgeSubdomain, notArrived } from '../judge.test-kit.ts'
import type { Judgement } from '../judge.ts'

type ProxyCode = Extract<FindingCode, `proxy_${string}` | 'cloudflare_proxy'>

/** A case for every finding about proxies, with what its message and its fix must say. */
export const proxyOccasions: Record<ProxyCode, [Judgement, message: RegExp, fix: RegExp]> = {
  cloudflare_proxy: [
    judgeSubdomain(['A 104.16.0.1', 'AAAA 2606:4700::1']),
    /points to Cloudflare's proxy \(104\.16\.0\.1 and 2606:4700::1\)/,
    /`masthead domains proxied www\.acme\.com --provider cloudflare`\. Or, .* record www from "Proxied" to "DNS only" \(the grey cloud\), and set its value to k3v9/,
  ],
  proxy_detected: [
    judgeSubdomain(['CNAME acme.map.fastly.net']),
    /^www\.acme\.com points to Fastly \(acme\.map\.fastly\.net\), which hides where it leads\.$/,
    /`masthead domains proxied www\.acme\.com --provider fastly`\. Or go without it\. .* change the CNAME record: name www, value k3v9/,
  ],
  proxy_elsewhere: [
    judgeProxied({ http: notArrived('elsewhere', { status: 404 }), https: notArrived('origin_error') }),
    /^Requests for www\.acme\.com do not arrive here: something else answers \(status 404\)\.$/,
    /^At Cloudflare, set the value of the DNS record, .* to k3v9x2m1qp\.cname\.pages\.example\.$/,
  ],
  proxy_host: [
    judgeProxied({
      http: notArrived('elsewhere'),
      https: notArrived('host_changed', { detail: 'x.example' }),
    }),
    /^Requests for www\.acme\.com arrive here as requests for x\.example\.$/,
    /keep the host name of the visitor \(Host: www\.acme\.com\)/,
  ],
  proxy_challenge: [
    judgeProxied({
      http: notArrived('challenged', { status: 403 }),
      https: notArrived('challenged', { status: 403 }),
    }),
    /^Cloudflare answers our request with a check for visitors \(status 403\)/,
    /rule for the path \/\.well-known\/acme-challenge\//,
  ],
  proxy_loop: [
    judgeProxied({ https: { ...arrived, arrival: { id: 'b', secure: false, from: '104.16.0.1' } } }),
    /^Visitors of www\.acme\.com are redirected in circles/,
    /"Full \(strict\)"\. "Flexible" encryption does not work/,
  ],
  proxy_private: [
    judgeProxied({ http: notArrived('private'), https: notArrived('private') }),
    /points to a private address/,
    /^Point it to the public address of your proxy/,
  ],
  proxy_error: [
    judgeProxied({
      http: notArrived('origin_error', { status: 526 }),
      https: notArrived('origin_error', { status: 526 }),
    }),
    /cannot reach us \(status 526, it did not accept our certificate\)\.$/,
    /until we have one, or delegate its challenges to us \(DNS-01\)/,
  ],
  proxy_unreachable: [
    judgeProxied({
      http: notArrived('unreachable', { detail: 'No connection in time' }),
      https: notArrived('untrusted', { detail: 'The certificate has expired' }),
    }),
    /securely.*The certificate has expired\.$/,
    /a live domain stays up/,
  ],
  proxy_plain: [
    judgeProxied(
      { https: { ...arrived, arrival: { id: 'b', secure: false, from: '104.16.0.1' } } },
      { proxy: { provider: 'cloudflare', redirects: false } },
    ),
    /over HTTPS, but the proxy connects to us without encryption\.$/,
    /^Once the certificate is installed: Set SSL\/TLS encryption to "Full \(strict\)"\.$/,
  ],
  proxy_https: [
    judgeProxied({ https: notArrived('origin_error', { status: 525 }) }),
    /^https:\/\/www\.acme\.com does not arrive here through the proxy yet \(status 525, the TLS handshake failed\)/,
    /"Full \(strict\)"\.$/,
  ],
  proxy_cached: [
    judgeProxied({ cached: true }),
    /^Cloudflare cached an answer below \/\.well-known\/acme-challenge\//,
    /a cache rule that bypasses the cache/,
  ],
  proxy_addresses: [
    judgeProxied({ https: { ...arrived, arrival: { id: 'b', secure: true, from: '203.0.113.4' } } }),
    /^The proxy connects from 203\.0\.113\.4, which is not one of the addresses that Cloudflare has published/,
    /MASTHEAD_PROXY_RANGES/,
  ],
}
