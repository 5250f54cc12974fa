import type { FindingCode } from '@masthead/contract/domains/findings.ts'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import { createCdns } from '../../config/cdns.ts'
import { publishedRanges } from '../../config/proxy-ranges.ts'
import { type ProofRequirement, type Wanted, wantedFor } from '../records.ts'
import type { RouteAttempt, RouteObservation } from '../route.ts'
import { type Judgement, judge } from './judge.ts'
import type { Observation, SeenRecord, ServerObservation } from './observation.ts'

export const naming = {
  platformDomain: 'pages.example',
  edgeAddresses: ['192.0.2.7', '2001:db8::7'],
}
export const target = 'k3v9x2m1qp.cname.pages.example'
export const right = [`CNAME ${target}`]
export const at = Date.parse('2030-01-01T00:00:00Z')

/** An apex that has to be proved, by this token or by another name. */
export function proving(challenge: string | null, more: Partial<ProofRequirement> = {}): ProofRequirement {
  return { need: 'required', challenge, siblings: [], by: null, dueAt: null, ...more }
}

export function wantedAt(hostname: string, more: Partial<Wanted> = {}): Wanted {
  const kind = hostname.split('.').length === 2 ? 'apex' : 'subdomain'
  return { ...wantedFor({ hostname, kind, target: 'k3v9x2m1qp', proof: null }, naming), ...more }
}

/** `CNAME other.example` with a TTL of 300, or `CNAME other.example 60`. */
export function seen(...records: string[]): SeenRecord[] {
  return records.map((text) => {
    const [type, value = '', ttl = '300'] = text.split(' ')
    if (type !== 'CNAME' && type !== 'A' && type !== 'AAAA') throw new Error(`${text} is no record of a name`)
    return { type, value, ttl: Number(ttl) }
  })
}

/** A nameserver that answers with these records, or that there are none. */
export function server(
  name: string,
  records: string[],
  more: Partial<ServerObservation> = {},
): ServerObservation {
  const rcode = records.length === 0 ? 'NXDOMAIN' : 'NOERROR'
  const answer = { outcome: 'answered', rcode, records: seen(...records), negativeTtl: null } as const
  return { name, address: '198.51.100.1', ...answer, ...more }
}

export function silent(name: string, outcome: ServerObservation['outcome']): ServerObservation {
  return { name, address: '198.51.100.9', outcome, rcode: null, records: [], negativeTtl: null }
}

export function observed(servers: ServerObservation[], more: Partial<Observation> = {}): Observation {
  return {
    at,
    hostname: 'www.acme.com',
    zone: 'acme.com',
    above: null,
    delegated: true,
    source: 'authoritative',
    servers,
    wildcard: null,
    challenge: null,
    siblings: [],
    resolvers: { rcode: null, records: [], negativeTtl: null, dnssecFailure: false },
    caa: { kind: 'allowed', methods: null },
    ...more,
  }
}

/** Two nameservers with the same answer, for the subdomain www.acme.com … */
export function judgeSubdomain(
  records: string[],
  more: Partial<Observation> = {},
  wanted: Partial<Wanted> = {},
) {
  const servers = [server('ns1.acme.com', records), server('ns2.acme.com', records)]
  return judge(observed(servers, more), wantedAt('www.acme.com', wanted))
}

export const arrived: RouteAttempt = {
  outcome: 'arrived',
  status: 200,
  detail: null,
  arrival: { id: 'a', secure: true, from: '104.16.0.1' },
}

export function notArrived(outcome: RouteAttempt['outcome'], more: Partial<RouteAttempt> = {}): RouteAttempt {
  return { outcome, status: null, detail: null, arrival: null, ...more }
}

const cdns = createCdns(publishedRanges)

/** The subdomain is marked as behind Cloudflare, and proved, and our requests through it ended like this. */
export function judgeProxied(
  route: Partial<RouteObservation>,
  wanted: Partial<Wanted> = {},
  records = ['A 104.16.0.1', 'AAAA 2606:4700::1'],
) {
  const servers = [server('ns1.acme.com', records), server('ns2.acme.com', records)]
  const seenAll = observed(servers, {
    challenge: ['proof'],
    route: { http: arrived, https: arrived, cached: false, ...route },
  })
  const proxy = { provider: 'cloudflare', redirects: true } as const
  return judge(seenAll, wantedAt('www.acme.com', { proof: proving('proof'), proxy, ...wanted }), cdns)
}

/** … and for the apex acme.com. */
export function judgeApex(records: string[], more: Partial<Observation> = {}, wanted: Partial<Wanted> = {}) {
  const servers = [server('ns1.acme.com', records), server('ns2.acme.com', records)]
  return judge(observed(servers, { hostname: 'acme.com', ...more }), wantedAt('acme.com', wanted))
}

export function codes({ findings }: Judgement): FindingCode[] {
  return findings.map(({ code }) => code)
}

export function found({ findings }: Judgement, code: FindingCode): Finding {
  const finding = findings.find((one) => one.code === code)
  if (finding === undefined)
    throw new Error(`${code} is not among ${findings.map((one) => one.code).join(', ')}`)
  return finding
}

/** No nameserver could be reached, so these resolvers are used. */
export function bySearch(...resolvers: ReturnType<typeof server>[]): Judgement {
  const servers = [silent('ns1.acme.com', 'timeout'), ...resolvers]
  return judge(observed(servers, { source: 'resolvers' }), wantedAt('www.acme.com'))
}

/** A CAA record with this tag blocks the certificate. */
export function forbidden(tag: string, critical: boolean): Pick<Observation, 'caa'> {
  return {
    caa: {
      kind: 'forbidden',
      at: 'acme.com',
      behind: null,
      records: [{ critical, tag, value: 'x' }],
      why: 'only other.example may issue certificates',
      add: critical ? null : { fqdn: 'acme.com', value: '0 issue "ca.example"' },
    },
  }
}

/** Without a delegation of challenges. */
export const findMethods = async () => ({ usable: ['http-01', 'tls-alpn-01'], delegate: null })
