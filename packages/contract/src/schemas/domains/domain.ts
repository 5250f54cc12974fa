import { z } from 'zod'
import { apexProofNames } from '../../domains/proofs.ts'
import { routeOutcomeNames } from '../../domains/proxy-providers.ts'
import { domainKindNames, domainStateNames, timelineKindNames } from '../../domains/states.ts'
import { productionBranch } from '../deployment-meta.ts'
import { certificate } from './certificate.ts'
import { dnsCheck, dnsRecord, observedRecord, proxyProvider } from './dns-check.ts'

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

export type Domain = z.infer<typeof domain>
export type RemovedDomain = z.infer<typeof removedDomain>
export type TimelineEntry = z.infer<typeof timelineEntry>
