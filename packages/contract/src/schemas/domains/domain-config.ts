import { z } from 'zod'
import { redirectStatuses } from '../../project-settings.ts'
import { hostnameInput } from './domain.ts'

const redirectStatus = z
  .union(redirectStatuses.map((status) => z.literal(status)))
  .meta({ description: '301 and 302 may turn a POST into a GET; 307 and 308 do not' })

/** Also the `domains` section of masthead.json and masthead.yaml. */
export const domainsMember = z
  .strictObject({
    primary: hostnameInput.meta({ description: 'An attached domain, or the default subdomain' }),
    redirects: z
      .array(
        z.strictObject({
          from: hostnameInput.meta({ description: 'The domain that redirects' }),
          to: hostnameInput.meta({
            description: 'Another domain of the project, which must not redirect itself',
          }),
          status: redirectStatus.default(301),
        }),
      )
      .max(1_000)
      .default([]),
  })
  .meta({ id: 'DomainsMember' })

export const domainConfigInput = z.strictObject({ domains: domainsMember })

export const domainConfig = z
  .object({
    domains: z.object({
      primary: z.string(),
      redirects: z.array(z.object({ from: z.string(), to: z.string(), status: redirectStatus })),
    }),
  })
  .meta({ id: 'DomainConfig' })

export type DomainConfig = z.infer<typeof domainConfig>
export type DomainConfigInput = z.infer<typeof domainConfigInput>
