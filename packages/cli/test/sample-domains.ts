import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'

const target = 'k3v9x2m1qp.cname.masthead.localhost'

/** A domain as it is five minutes after it was added. */
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
    preparation: null,
    proxied: null,
    proof: null,
    certificate: {
      status: 'none',
      issuer: null,
      serial: null,
      notAfter: null,
      attempts: 0,
      lastError: null,
      nextAttemptAt: null,
      passedOver: [],
      own: null,
    },
    branch: null,
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
