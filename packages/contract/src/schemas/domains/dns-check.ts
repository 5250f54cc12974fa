import { z } from 'zod'
import { findingCodes } from '../../domains/findings.ts'
import { proxyProviderNames } from '../../domains/proxy-providers.ts'
import { domainKindNames } from '../../domains/states.ts'

const time = z.iso.datetime()

export const observedRecord = z
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

const recordChange = z
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

/** A check of a name that may not have been added yet: then no record can be missing, only be in the way. */
export const domainCheck = dnsCheck
  .extend({ hostname: z.string(), unicode: z.string(), kind: z.enum(domainKindNames) })
  .extend({ project: z.string().nullable().meta({ description: 'The project of the account that has it' }) })
  .meta({ id: 'DomainCheck' })

export type RequiredDnsRecord = z.infer<typeof dnsRecord>
export type RecordChange = z.infer<typeof recordChange>
export type ObservedRecord = z.infer<typeof observedRecord>
export type Finding = z.infer<typeof finding>
export type DnsCheck = z.infer<typeof dnsCheck>
export type DomainCheck = z.infer<typeof domainCheck>
