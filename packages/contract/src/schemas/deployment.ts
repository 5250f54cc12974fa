import { z } from 'zod'
import { deploymentStateNames } from '../deployments.ts'
import { deploymentMeta, metaInput } from './deployment-meta.ts'
import { idSchema } from './fields.ts'

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')
  .meta({ description: 'SHA-256 in lower-case hex' })

export const leftOut = z.object({
  files: z.number().int(),
  paths: z
    .array(z.string())
    .meta({ description: 'Up to 20 files and folders; a folder ends with a slash and includes its files' }),
})

export const diagnostic = z.object({
  file: z.string().meta({ description: 'The path concerned, as visitors see it' }),
  line: z.number().int().nullable(),
  level: z.enum(['warning', 'error']),
  message: z.string(),
})

export const deployment = z
  .object({
    id: idSchema('deployment'),
    projectId: idSchema('project'),
    state: z.enum(deploymentStateNames),
    active: z.boolean().meta({ description: 'Whether the project serves it now' }),
    url: z.string().meta({ description: 'Preview of this deployment, not indexed by search engines' }),
    branchUrl: z.string().nullable().meta({
      description: 'Address of its branch, which always shows the newest ready deployment of that branch',
    }),
    meta: deploymentMeta.meta({ description: 'Where it comes from, as far as its publisher said' }),
    files: z.number().int(),
    bytes: z.number().int(),
    createdBy: z.string().meta({ description: 'The person or key that created it' }),
    createdAt: z.iso.datetime(),
    readyAt: z.iso.datetime().nullable(),
    activatedAt: z.iso.datetime().nullable().meta({ description: 'The last time it went live' }),
    leftOut: leftOut.meta({
      description: 'What was sent but not published: hidden files and `node_modules`',
    }),
    diagnostics: z.array(diagnostic).meta({
      description:
        'Possible mistakes, such as a missing front page or a line of `_redirects` that cannot be used: up to 100, then how many more there are',
    }),
  })
  .meta({ id: 'Deployment' })

export const createdDeployment = deployment
  .extend({ missing: z.array(sha256).meta({ description: 'Digests to upload before finalizing' }) })
  .meta({ id: 'CreatedDeployment' })

export const newDeployment = z
  .strictObject({
    files: z
      .record(z.string(), z.strictObject({ sha256, size: z.number().int().min(0) }))
      .meta({ description: 'Every file of the deployment, by path' }),
    meta: metaInput.optional().meta({ description: 'Where the deployment comes from' }),
  })
  .meta({ description: 'The files of the deployment, and where it comes from' })

export const activateQuery = z.strictObject({
  activate: z.enum(['true', 'false']).optional().meta({
    description:
      '`false` leaves the current deployment live, `true` replaces it. Given when the deployment is created, it also applies to finalizing it without this parameter. If omitted in both, it goes live unless its branch is not the production branch',
  }),
})

export const activation = z
  .strictObject({
    replaces: idSchema('deployment').optional().meta({
      description:
        'The deployment that you believe is live. If another one is, the request is refused with `deployment_not_active`, so that it does not replace what somebody has published meanwhile',
    }),
  })
  .optional()

/** An archive is the whole body, so its metadata is in the query. */
export const createQuery = activateQuery.extend(metaInput.shape)

export const deploymentFile = z
  .object({ path: z.string(), sha256, size: z.number().int() })
  .meta({ id: 'DeploymentFile' })

export type LeftOut = z.infer<typeof leftOut>
export type Diagnostic = z.infer<typeof diagnostic>
export type Deployment = z.infer<typeof deployment>
export type CreatedDeployment = z.infer<typeof createdDeployment>
