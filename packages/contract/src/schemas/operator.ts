import { z } from 'zod'
import { type DomainState, domainStateNames } from '../domains/states.ts'
import { account } from './account.ts'
import { domain } from './domains/domain.ts'
import { idSchema, lineOfText, name, pageQuery } from './fields.ts'
import { person } from './people.ts'
import { takedown } from './project.ts'
import { usage } from './usage.ts'

const time = z.iso.datetime()
const count = z.number().int()
const countsByState = Object.fromEntries(domainStateNames.map((state) => [state, count])) as Record<
  DomainState,
  typeof count
>

export const operatorAccountsQuery = pageQuery.extend({
  search: name.optional().meta({ description: 'Part of the name, case-insensitive' }),
})

export const operatorAccount = account
  .extend({
    projects: count,
    domains: count,
    members: count,
    usedToday: count.meta({ description: 'API requests since midnight UTC' }),
  })
  .meta({ id: 'OperatorAccount' })

/** One paragraph that people read. */
const reason = lineOfText(500).min(1)

export const suspension = z.strictObject({
  reason: reason.meta({ description: 'Shown to the members of the account, not to visitors' }),
})

export const takedownInput = z.strictObject({
  reason: reason.meta({ description: 'Shown to visitors and to the members of the account' }),
  status: z
    .union([z.literal(403), z.literal(451)])
    .default(451)
    .meta({ description: '451 for a legal demand (RFC 7725), 403 for anything else' }),
})

export const operatorSite = z
  .object({
    id: idSchema('project'),
    slug: z.string(),
    name: z.string(),
    url: z.string(),
    accountId: idSchema('account'),
    accountName: z.string(),
    domains: z.array(z.string()).meta({ description: 'Up to ten custom domains' }),
    published: z.boolean().meta({ description: 'Whether a deployment is live' }),
    takedown: takedown.nullable(),
    createdAt: time,
  })
  .meta({ id: 'OperatorSite' })

export const operatorSitesQuery = pageQuery.extend({
  search: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .optional()
    .meta({ description: 'Part of the slug, or an address such as https://www.acme.com/' }),
  takenDown: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: '`true` shows only sites that are taken down' }),
})

export const operatorPerson = person
  .extend({ createdAt: time, accounts: z.array(z.object({ id: idSchema('account'), name: z.string() })) })
  .meta({ id: 'OperatorPerson' })

export const operatorPeopleQuery = pageQuery.extend({
  search: name.optional().meta({ description: 'Part of the name or email address, case-insensitive' }),
})

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
    accountId: idSchema('account').nullable().meta({ description: "Null for the platform's own hostnames" }),
    accountName: z.string().nullable(),
    projectSlug: z.string().nullable(),
  })
  .meta({ id: 'OperatorCertificate' })

export const healthCheckNames = ['database', 'limiter', 'blobs', 'domains', 'certificates', 'dns'] as const

/** Worst first. `skipped`: could not or need not be checked. */
export const doctorStatuses = ['problem', 'warning', 'ok', 'skipped'] as const

const doctorStatus = z.enum(doctorStatuses)

export const doctorReport = z
  .object({
    checkedAt: time,
    checks: z.array(
      z.object({
        id: z.string().meta({ description: 'Stable, such as `dns` or `database`' }),
        title: z.string(),
        status: doctorStatus.meta({ description: 'The worst of its findings' }),
        findings: z.array(
          z.object({
            status: doctorStatus,
            message: z.string(),
            fix: z.string().nullable().meta({ description: 'What to do; null if there is nothing to do' }),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'DoctorReport' })

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
        domains: z.object(countsByState),
        certificates: count,
        certificatesExpiringSoon: count.meta({ description: 'Certificates with less than three days left' }),
      })
      .nullable()
      .meta({ description: 'Null while the database is unavailable' }),
    doctor: doctorReport.nullable().meta({
      description:
        'What `masthead-server doctor` says about the node that answers, a few minutes old at most. Null until its first run has ended',
    }),
  })
  .meta({ id: 'Health' })

export type OperatorSite = z.infer<typeof operatorSite>
export type OperatorPerson = z.infer<typeof operatorPerson>
export type OperatorAccount = z.infer<typeof operatorAccount>
export type OperatorBan = z.infer<typeof operatorBan>
export type OperatorCertificate = z.infer<typeof operatorCertificate>
export type Health = z.infer<typeof health>
export type HealthCheck = Health['checks'][number]
export type DoctorReport = z.infer<typeof doctorReport>
export type DoctorResult = DoctorReport['checks'][number]
export type DoctorFinding = DoctorResult['findings'][number]
export type DoctorStatus = DoctorFinding['status']

/** What a server says about itself to everyone. */
export const server = z
  .object({
    version: z.string(),
    platformDomain: z.string(),
    setupNeeded: z.boolean().meta({ description: 'True until the setup link has been used' }),
    signup: z.enum(['open', 'invite']),
    billing: z
      .enum(['none', 'external'])
      .meta({ description: '`none`: owners change the plan themselves; `external`: only the operator does' }),
    internalCa: z.boolean().meta({
      description: 'Whether this server is its own certificate authority; `GET /v1/ca.pem` then has its root',
    }),
    lab: z.boolean().meta({ description: 'Whether this server runs its own DNS for trying out domains' }),
    commandLine: z
      .object({
        version: z.string(),
        url: z.string().meta({ description: 'A package for `npx` and `npm install`' }),
        sha256: z.string(),
      })
      .nullable()
      .meta({ description: 'The command line that suits this server; null if it was not built' }),
    mail: z.boolean().meta({
      description: 'Whether this server mails owners of accounts about what has stopped working',
    }),
    uploadLimits: z
      .object({
        files: z.number().int(),
        bytesPerFile: z.number().int(),
        bytesPerDeployment: z.number().int(),
      })
      .meta({ description: 'Limits for one deployment' }),
  })
  .meta({ id: 'Server' })
