import type { EndpointName } from '@masthead/contract/endpoints.ts'
import type { DnsCheck, Domain, TimelineEntry } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { canonicalHostname } from '../src/domains/hostname.ts'
import {
  type Answerer,
  type Call,
  Refusal,
  type StandInServer,
  type StoredProject,
  tagOf,
} from './stand-in-server.ts'

/** What the service finds when it looks: the domain as it is from then on. */
export type Look = Partial<Domain>

/** The part of the stand-in that is about domains. One project has them all. */
export class StandInDomains {
  readonly found = new Map<string, Domain>()
  readonly timeline: TimelineEntry[] = []
  /** What the looks find one after the other, asked for or not; then it stays so. */
  readonly looks: Look[] = []
  config: DomainConfig['domains'] | null = null

  constructor(server: StandInServer) {
    const answerers: Partial<Record<EndpointName, Answerer>> = {
      listDomains: () => ({ items: [...this.found.values()], next: null }),
      addDomain: ({ json }) => this.add(String(json.hostname).toLowerCase()),
      getDomain: (call) => this.#look(call),
      verifyDomain: (call) => this.#look(call),
      reverifyDomain: (call) => this.#look(call),
      removeDomain: (call) => {
        const { hostname } = this.#domain(call)
        this.found.delete(hostname)
        const message = `Links to ${hostname} lead nowhere from now on.`
        return { hostname, removedAt: new Date().toISOString(), warnings: [{ code: 'no_redirect', message }] }
      },
      listTimeline: () => ({ items: this.timeline, next: null }),
      checkDomain: ({ json }) => {
        const hostname = String(json.hostname)
        return { ...rightCheck, hostname, unicode: hostname, kind: 'subdomain' }
      },
      getDomainConfig: (call) => ({ domains: this.#configOf(server.projectOf(call)) }),
      putDomainConfig: (call) => this.#put(server.projectOf(call), call),
    }
    Object.assign(server.answerers, answerers)
  }

  add(hostname: string, more: Look = {}): Domain {
    const domain = { ...pendingDomain(hostname), ...more }
    this.found.set(hostname, domain)
    return domain
  }

  #domain({ params }: Call): Domain {
    const domain = this.found.get((params.hostname ?? '').toLowerCase())
    if (!domain) throw new Refusal('not_found', `There is no domain ${params.hostname}.`)
    return domain
  }

  #look(call: Call): Domain {
    return Object.assign(this.#domain(call), this.looks.shift())
  }

  #configOf({ url }: StoredProject): DomainConfig['domains'] {
    return this.config ?? { primary: new URL(url).hostname, redirects: [] }
  }

  #put(project: StoredProject, { json, ifMatch }: Call): DomainConfig {
    if (ifMatch !== undefined && ifMatch !== tagOf({ domains: this.#configOf(project) })) {
      throw new Refusal('domain_config_changed', 'Somebody changed them meanwhile.')
    }
    const domains = json.domains as DomainConfig['domains']
    const known = [...this.found.keys(), new URL(project.url).hostname]
    const names = domains.redirects.flatMap(({ from, to }, i) => [
      { path: `domains.redirects.${i}.from`, name: from },
      { path: `domains.redirects.${i}.to`, name: to },
    ])
    const errors = [{ path: 'domains.primary', name: domains.primary }, ...names]
      .filter(({ name }) => !known.includes(canonicalHostname(name)))
      .map(({ path, name }) => ({ path, message: `${name} is not a domain of this project` }))
    if (errors.length > 0) throw new Refusal('domain_config_invalid', 'The domains cannot be so.', { errors })
    this.config = domains
    return { domains }
  }
}

export const target = 'k3v9x2m1qp.cname.masthead.localhost'

/** As it is five minutes after it was added. */
export function pendingDomain(hostname: string, now = Date.now()): Domain {
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
  const [label = '', ...zone] = hostname.split('.')
  const isApex = zone.length === 1
  return {
    hostname,
    unicode: hostname,
    kind: isApex ? 'apex' : 'subdomain',
    state: 'pending',
    url: `http://${hostname}`,
    records: [
      {
        purpose: 'routing',
        type: isApex ? 'ALIAS' : 'CNAME',
        name: isApex ? '@' : label,
        fqdn: hostname,
        value: target,
        ttl: 3600,
        status: 'unchecked',
        observed: [],
        alternatives: isApex ? [{ type: 'A', value: '192.0.2.7' }] : [],
      },
    ],
    lastCheck: null,
    proof: null,
    certificate: {
      status: 'none',
      issuer: null,
      serial: null,
      notAfter: null,
      attempts: 0,
      lastError: null,
      nextAttemptAt: null,
    },
    advice: null,
    createdAt: at(-300),
    verifiedAt: null,
    liveAt: null,
    nextCheckAt: at(0),
    checkedUntil: at(47 * 3600),
  }
}

export const rightCheck: DnsCheck = {
  at: new Date().toISOString(),
  ok: true,
  outcome: 'right',
  findings: [],
  changes: [
    { action: 'keep', type: 'CNAME', name: 'www', fqdn: 'www.acme.com', from: target, to: target, ttl: 3600 },
  ],
  zone: 'acme.com',
  provider: 'Cloudflare',
  source: 'authoritative',
  nameservers: [
    {
      name: 'ns1.acme.com',
      address: '192.0.2.53',
      outcome: 'answered',
      answers: [{ type: 'CNAME', value: target, ttl: 3600 }],
    },
    { name: 'ns2.acme.com', address: '192.0.2.54', outcome: 'timeout', answers: [] },
  ],
}

/** An A record is where the CNAME should be. */
export const wrongCheck: DnsCheck = {
  ...rightCheck,
  ok: false,
  outcome: 'wrong',
  findings: [
    {
      code: 'address_conflict',
      effect: 'stops',
      message: 'An A record is in the way: www.acme.com has 203.0.113.9.',
      fix: 'Remove the A record for www, then add the CNAME.',
    },
    {
      code: 'caa_blocks',
      effect: 'tells',
      message: 'A CAA record forbids it.',
      fix: 'Add the record that is shown.',
    },
  ],
  changes: [
    {
      action: 'remove',
      type: 'A',
      name: 'www',
      fqdn: 'www.acme.com',
      from: '203.0.113.9',
      to: null,
      ttl: 300,
    },
    { action: 'add', type: 'CNAME', name: 'www', fqdn: 'www.acme.com', from: null, to: target, ttl: 3600 },
  ],
  nameservers: [
    {
      name: 'ns1.acme.com',
      address: '192.0.2.53',
      outcome: 'answered',
      answers: [{ type: 'A', value: '203.0.113.9', ttl: 300 }],
    },
    { name: 'ns2.acme.com', address: '192.0.2.54', outcome: 'answered', answers: [] },
  ],
}
