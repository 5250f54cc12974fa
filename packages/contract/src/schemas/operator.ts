import { z } from 'zod'
import { domainStateNames } from '../domain-states.ts'
import { idSchema } from '../ids.ts'
import { account } from './account.ts'
import { domain } from './domain.ts'
import { name } from './name.ts'
import { pageQuery } from './page.ts'
import { usage } from './usage.ts'

const time = z.iso.datetime()
const count = z.number().int()

export const operatorAccountsQuery = pageQuery.extend({
  search: name.optional().meta({ description: 'A part of the name, in any case' }),
})

export const operatorAccount = account
  .extend({
    projects: count,
    domains: count,
    members: count,
    usedToday: count.meta({ description: 'Requests to the API since midnight UTC, to the second' }),
  })
  .meta({ id: 'OperatorAccount' })

export const operatorBan = usage.shape.bans.element
  .extend({ accountId: idSchema('account'), accountName: z.string() })
  .meta({ id: 'OperatorBan' })

export const operatorCertificatesQuery = pageQuery.extend({
  failing: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: '`true` shows only those whose last attempt failed' }),
})

export const operatorCertificate = domain.shape.certificate
  .pick({ status: true, issuer: true, notAfter: true, lastError: true, nextAttemptAt: true })
  .extend({
    hostname: z.string(),
    renewsAt: time.nullable(),
    accountId: idSchema('account').nullable().meta({ description: "Null for the platform's own names" }),
    accountName: z.string().nullable(),
    projectSlug: z.string().nullable(),
  })
  .meta({ id: 'OperatorCertificate' })

export const healthCheckNames = ['database', 'limiter', 'blobs', 'domains', 'certificates', 'dns'] as const

export const health = z
  .object({
    version: z.string(),
    startedAt: time,
    dialect: z.enum(['sqlite', 'postgres']),
    checks: z.array(z.object({ name: z.enum(healthCheckNames), ok: z.boolean(), message: z.string() })),
    counts: z
      .object({
        accounts: count,
        projects: count,
        deployments: count,
        domains: z.record(z.enum(domainStateNames), count),
        certificates: count,
        certificatesExpiringSoon: count.meta({ description: 'Those with less than three days left' }),
      })
      .nullable()
      .meta({ description: 'Null while the database does not answer' }),
  })
  .meta({ id: 'Health' })

export type OperatorAccount = z.infer<typeof operatorAccount>
export type OperatorBan = z.infer<typeof operatorBan>
export type OperatorCertificate = z.infer<typeof operatorCertificate>
export type Health = z.infer<typeof health>
export type HealthCheck = Health['checks'][number]
