import { z } from 'zod'
import { findingCodes } from '../domains/findings.ts'
import { apexProofNames } from '../domains/proofs.ts'
import { proxyProviderNames, routeOutcomeNames } from '../domains/proxy-providers.ts'
import { domainKindNames, domainStateNames, timelineKindNames } from '../domains/states.ts'
import { productionBranch } from './deployment-meta.ts'

const time = z.iso.datetime()

/** As typed or pasted; the server normalizes and validates it. */
export const hostnameInput = z
  .string()
  .min(1)
  .max(1_000)
  .meta({
    description: 'As typed or pasted: unicode, capitals and https:// are fine. `*.acme.com` is a wildcard',
    examples: ['www.acme.com'],
  })

const observedRecord = z
  .object({ type: z.string(), value: z.string(), ttl: z.number().int() })
  .meta({ id: 'ObservedRecord' })

export const dnsRecord = z
  .object({
    purpose: z
      .enum(['routing', 'ownership', 'certificate'])
      .meta({ description: '`certificate`: lets us get the certificate of a wildcard' }),
    type: z.enum(['CNAME', 'ALIAS', 'TXT']),
    name: z
      .string()
      .meta({ description: 'As DNS providers expect it: the label, or @ for the domain itself' }),
    fqdn: z.string(),
    value: z.string(),
    ttl: z.number().int(),
    status: z.enum(['unchecked', 'missing', 'wrong', 'ok']),
    observed: z.array(observedRecord),
    alternatives: z
      .array(z.object({ type: z.enum(['A', 'AAAA']), value: z.string() }))
      .meta({ description: 'Use these if the provider supports neither ALIAS nor ANAME' }),
  })
  .meta({ id: 'DnsRecord' })

export const recordChange = z
  .object({
    action: z.enum(['keep', 'add', 'change', 'remove']),
    type: z.string(),
    name: z.string(),
    fqdn: z.string(),
    from: z.string().nullable().meta({ description: 'The value that is there now' }),
    to: z.string().nullable().meta({ description: 'The value that should be there' }),
    ttl: z.number().int(),
  })
  .meta({ id: 'RecordChange' })

export const proxyProvider = z.enum(proxyProviderNames).meta({
  description: 'The proxy or CDN in front of the domain',
  examples: ['cloudflare'],
})

export const finding = z
  .object({
    code: z.enum(findingCodes),
    effect: z.enum(['stops', 'unclear', 'tells']),
    message: z.string(),
    fix: z.string(),
    records: z.array(z.object({ type: z.string(), fqdn: z.string(), value: z.string() })).optional(),
    provider: proxyProvider.optional().meta({ description: 'The proxy or CDN that was recognized' }),
    until: time.optional().meta({ description: 'When it goes away on its own, at the latest' }),
  })
  .meta({ id: 'Finding' })

const nameserver = z.object({
  name: z.string(),
  address: z.string().nullable(),
  outcome: z.string().meta({ description: '`answered`, or why not' }),
  answers: z.array(observedRecord),
})

export const dnsCheck = z
  .object({
    at: time,
    ok: z.boolean(),
    outcome: z.enum(['right', 'wrong', 'unclear']),
    findings: z.array(finding),
    changes: z
      .array(recordChange)
      .meta({ description: 'What to change in DNS, as a diff against the current records' }),
    zone: z.string().nullable(),
    provider: z
      .string()
      .nullable()
      .meta({ description: 'Who runs the nameservers, if their names show it', examples: ['Cloudflare'] }),
    source: z.enum(['authoritative', 'resolvers']),
    nameservers: z.array(nameserver),
  })
  .meta({ id: 'DnsCheck' })

const certificateError = z
  .object({
    kind: z
      .string()
      .meta({ description: 'For programs; it decides when we retry', examples: ['caa_forbids'] }),
    at: time,
    authority: z.string().meta({ description: 'The certificate authority', examples: ["Let's Encrypt"] }),
    message: z.string().meta({ description: 'What happened' }),
    hint: z.string().meta({ description: 'What to do, if anything' }),
    said: z.string().nullable().meta({ description: "The certificate authority's own words" }),
    problem: z.unknown().meta({ description: 'Its whole problem document (RFC 8555), or null' }),
    add: z
      .object({ type: z.string(), fqdn: z.string(), value: z.string() })
      .nullable()
      .meta({ description: 'The DNS record that would allow issuance' }),
  })
  .meta({ id: 'CertificateError' })

const passedOver = z
  .object({
    authority: z.string(),
    kind: z.string().meta({ description: 'As in `lastError`', examples: ['unreachable'] }),
    message: z.string(),
  })
  .meta({ id: 'PassedOverAuthority' })

const ownCertificate = z
  .object({
    issuer: z.string(),
    serial: z.string(),
    names: z.array(z.string()).meta({ description: 'The hostnames it is for' }),
    notBefore: time,
    notAfter: time,
    trusted: z.boolean().meta({
      description:
        'Whether its chain ends at a root that browsers know. If not, only clients of your own CA accept it',
    }),
    inUse: z.boolean().meta({ description: 'False until the domain is verified' }),
    uploadedAt: time,
  })
  .meta({ id: 'OwnCertificate' })

/** In PEM. A chain of ten certificates with RSA keys of 4096 bits has 30 KB. */
export const certificateUpload = z.strictObject({
  chain: z
    .string()
    .min(1)
    .max(50_000)
    .meta({
      description: 'The certificate and its intermediates in PEM, in any order',
      examples: ['-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n'],
    }),
  key: z
    .string()
    .min(1)
    .max(12_000)
    .meta({
      description: 'Its private key in PEM: RSA (2048 to 4096 bits) or ECDSA (P-256, P-384), not encrypted',
      examples: ['-----BEGIN PRIVATE KEY-----\nMIGH...\n-----END PRIVATE KEY-----\n'],
    }),
})

const certificate = z.object({
  status: z.enum(['none', 'pending', 'valid', 'failed']),
  issuer: z.string().nullable(),
  serial: z.string().nullable(),
  notAfter: time.nullable(),
  attempts: z.number().int().meta({ description: 'Failed attempts since the last success' }),
  lastError: certificateError.nullable(),
  nextAttemptAt: time.nullable(),
  passedOver: z
    .array(passedOver)
    .meta({ description: 'Certificate authorities that were asked before `issuer` and could not issue' }),
  own: ownCertificate
    .nullable()
    .meta({ description: 'The certificate you uploaded; null if Masthead manages it' }),
})

const proxyRoute = z
  .object({
    http: z.enum(routeOutcomeNames),
    https: z.enum(routeOutcomeNames),
    encrypted: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the proxy connects to us over HTTPS when visitors do; null if unknown' }),
    cached: z.boolean().meta({ description: 'Whether the proxy cached an answer that forbids it' }),
    visitors: z.enum(['known', 'unknown']).nullable().meta({
      description:
        'Whether the proxy came from published addresses, so that we believe what it says of visitors',
    }),
  })
  .meta({ id: 'ProxyRoute' })

const delegatingRecord = z
  .object({
    type: z.literal('CNAME'),
    name: z.string(),
    fqdn: z.string(),
    value: z.string(),
    ttl: z.number().int(),
    status: z.enum(['unchecked', 'missing', 'wrong', 'ok']),
    observed: z
      .array(observedRecord)
      .meta({ description: 'What is there now. Another CNAME has to be changed, other records removed' }),
  })
  .meta({ id: 'DelegationRecord' })

export const domain = z
  .object({
    hostname: z.string(),
    unicode: z.string(),
    kind: z.enum(domainKindNames),
    state: z.enum(domainStateNames),
    url: z.string().meta({ description: 'Of a wildcard, a pattern: https://*.acme.com' }),
    records: z.array(dnsRecord),
    lastCheck: dnsCheck.nullable(),
    proof: z
      .object({
        by: z.enum(apexProofNames).nullable().meta({ description: 'Null if not proved yet' }),
        dueAt: time.nullable().meta({
          description: 'Deadline for the proof, if the domain is served without one',
        }),
      })
      .nullable()
      .meta({
        description:
          'How ownership of an apex, a wildcard or a name behind a proxy was proved; null for any other subdomain, whose CNAME proves it',
      }),
    preparation: z
      .object({
        record: delegatingRecord,
        certificate: z.boolean().meta({ description: 'Whether the certificate is in place' }),
        tested: z.boolean().meta({ description: 'Whether our edge answered a test request with it' }),
        ready: z.boolean().meta({ description: 'Change the routing record: visitors will not notice' }),
      })
      .meta({ id: 'DomainPreparation' })
      .nullable()
      .meta({
        description:
          'Lets us obtain the certificate while DNS still points elsewhere. Null once DNS points here, and on servers without MASTHEAD_DNS_LISTEN',
      }),
    proxied: z
      .object({
        provider: proxyProvider,
        origin: z
          .string()
          .meta({ description: 'Where the proxy has to send requests, with the host name kept' }),
        certificateBy: z.enum(['http-01', 'dns-01']).meta({
          description: '`dns-01` once its challenges are delegated to us; `http-01` goes through the proxy',
        }),
        delegation: delegatingRecord
          .nullable()
          .meta({ description: 'The record for `dns-01`; null on servers without MASTHEAD_DNS_LISTEN' }),
        route: proxyRoute
          .nullable()
          .meta({ description: 'What our own requests found; null before the domain is proved' }),
      })
      .meta({ id: 'ProxiedDomain' })
      .nullable()
      .meta({ description: 'Set if the domain is marked as behind a proxy or CDN' }),
    certificate,
    branch: z
      .string()
      .nullable()
      .meta({ description: 'The branch whose newest deployment it shows; null: what is live' }),
    advice: z
      .enum(['reverify', 'replace_certificate'])
      .nullable()
      .meta({ description: '`replace_certificate`: the one you uploaded expires within 30 days' }),
    createdAt: time,
    verifiedAt: time.nullable(),
    liveAt: time.nullable(),
    nextCheckAt: time.nullable(),
    checkedUntil: time.nullable().meta({ description: 'When automatic checks for the DNS record end' }),
  })
  .meta({ id: 'Domain' })

export const newDomain = z.strictObject({
  hostname: hostnameInput,
  move: z
    .boolean()
    .default(false)
    .meta({ description: 'Move the domain here from another project of the same account' }),
})

export const domainChange = z
  .strictObject({
    branch: productionBranch
      .nullable()
      .meta({
        description:
          'Show the newest deployment of this branch; null, or the production branch: what is live',
        examples: ['next'],
      })
      .optional(),
    proxied: proxyProvider
      .nullable()
      .meta({ description: 'Mark the domain as behind this proxy or CDN; null: no longer' })
      .optional(),
  })
  .refine(({ branch, proxied }) => branch !== undefined || proxied !== undefined, {
    message: 'must have branch or proxied',
  })

export const removedDomain = z
  .object({
    hostname: z.string(),
    removedAt: time,
    warnings: z.array(
      z.object({
        code: z.enum(['no_redirect', 'wildcard_covers', 'primary_removed', 'redirects_removed']),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'RemovedDomain' })

export const timelineEntry = z
  .object({
    kind: z.enum(timelineKindNames),
    message: z.string(),
    at: time,
    lastAt: time.meta({ description: 'A check with the same result as the previous one is counted here' }),
    times: z.number().int(),
    by: z.object({
      kind: z.enum(['person', 'key', 'operator', 'system']),
      id: z.string().nullable(),
      name: z.string(),
    }),
    check: dnsCheck.nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TimelineEntry' })

/** A check of a name that may not have been added yet: then no record can be missing, only be in the way. */
export const domainCheck = dnsCheck
  .extend({ hostname: z.string(), unicode: z.string(), kind: z.enum(domainKindNames) })
  .extend({ project: z.string().nullable().meta({ description: 'The project of the account that has it' }) })
  .meta({ id: 'DomainCheck' })

export type Domain = z.infer<typeof domain>
export type RequiredDnsRecord = z.infer<typeof dnsRecord>
export type RecordChange = z.infer<typeof recordChange>
export type ObservedRecord = z.infer<typeof observedRecord>
export type Finding = z.infer<typeof finding>
export type DnsCheck = z.infer<typeof dnsCheck>
export type RemovedDomain = z.infer<typeof removedDomain>
export type CertificateView = Domain['certificate']
export type TimelineEntry = z.infer<typeof timelineEntry>
export type DomainCheck = z.infer<typeof domainCheck>
