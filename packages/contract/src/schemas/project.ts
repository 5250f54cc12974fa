import { z } from 'zod'
import { defaultProductionBranch } from '../deployments.ts'
import {
  htmlHandlingNames,
  normalizeProtectedPath,
  protectedPathError,
  protectionLimits,
  protectionScopeNames,
  staleTimeMax,
} from '../project-settings.ts'
import { slugError } from '../slugs.ts'
import { deployment } from './deployment.ts'
import { productionBranch } from './deployment-meta.ts'
import { idSchema, lineOfText, name, pageQuery } from './fields.ts'

export const slug = z
  .string()
  .superRefine((value, context) => {
    const message = slugError(value)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
  .meta({ description: 'The name under the platform domain', examples: ['my-site'] })

const projectName = name

/** Why the operator took a site down. */
export const takedown = z
  .object({
    since: z.iso.datetime(),
    reason: z.string().meta({ description: 'Shown to visitors' }),
    status: z.union([z.literal(403), z.literal(451)]).meta({ description: 'The HTTP status visitors get' }),
  })
  .meta({ id: 'Takedown' })

const protectionScope = z.enum(protectionScopeNames).meta({
  description: '`site`: everything, previews too; `previews`: previews only; `paths`: the listed paths',
})
const protectionNote = lineOfText(protectionLimits.noteLength).meta({
  description: 'Shown to visitors who have no password, such as whom to ask',
})

export const protection = z
  .object({
    scope: protectionScope,
    paths: z.array(z.string()).meta({ description: 'With everything below each; empty for other scopes' }),
    note: z.string(),
    passwordSetAt: z.iso.datetime(),
  })
  .meta({ id: 'Protection' })

const protectedPath = z.string().superRefine((value, context) => {
  const message = protectedPathError(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

export const protectionInput = z
  .strictObject({
    scope: protectionScope.default('site'),
    paths: z
      .array(protectedPath)
      .max(protectionLimits.paths)
      .default([])
      .transform((paths) => [...new Set(paths.map(normalizeProtectedPath))]),
    note: protectionNote.default(''),
    password: z
      .string()
      .min(protectionLimits.passwordMin)
      .max(protectionLimits.passwordBytes)
      .refine((password) => new TextEncoder().encode(password).length <= protectionLimits.passwordBytes, {
        message: `must have at most ${protectionLimits.passwordBytes} bytes`,
      })
      .optional()
      .meta({ description: 'Left out: the password stays as it is' }),
  })
  .refine(({ scope, paths }) => (scope === 'paths') === paths.length > 0, {
    path: ['paths'],
    message: 'is required for the scope `paths`, and allowed only there',
  })

const staleTime = z.int().min(0).max(staleTimeMax)

export const project = z
  .object({
    id: idSchema('project'),
    accountId: idSchema('account'),
    slug: z.string(),
    name: z.string(),
    url: z.string().meta({ description: 'The default subdomain, which every project has' }),
    primaryUrl: z.string().meta({
      description: 'The address to share: the primary domain while it is served, otherwise `url`',
    }),
    htmlHandling: z.enum(htmlHandlingNames),
    singlePage: z.boolean().meta({ description: 'Unknown paths get /index.html with status 200' }),
    strictTransportSecurity: z.boolean().meta({
      description: 'Require HTTPS (HSTS): browsers use only HTTPS for a year, which cannot be undone',
    }),
    immutableAssets: z.boolean().meta({
      description: 'Browsers keep files with a hash in their name for a year (`immutable`)',
    }),
    staleWhileRevalidate: staleTime.meta({
      description:
        'Seconds for which browsers may show the version of other files that they have while they ask for a new one',
    }),
    protection: protection
      .nullable()
      .meta({ description: 'Set while visitors need a password; set by `PUT …/protection`' }),
    productionBranch: z.string().meta({
      description: 'Deployments of other branches are previews until someone makes them live',
    }),
    activeDeployment: deployment.nullable(),
    takedown: takedown
      .nullable()
      .meta({ description: 'Set while the operator has taken the site down; visitors see the reason' }),
    slugUsedUntil: z.iso.datetime().optional().meta({
      description: 'When another account stopped using this slug: old links and previews lead here',
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Project' })

export const projectsQuery = pageQuery.extend({
  order: z.enum(['created', 'changed']).default('created').meta({
    description: '`created`: newest first; `changed`: last changed settings or live deployment first',
  }),
  search: name.optional().meta({ description: 'Part of the name or slug, case-insensitive' }),
})

export const newProject = z.strictObject({
  slug,
  name: projectName.optional(),
  htmlHandling: z.enum(htmlHandlingNames).default('auto'),
  singlePage: z.boolean().default(false),
  strictTransportSecurity: z.boolean().default(false),
  immutableAssets: z.boolean().default(true),
  staleWhileRevalidate: staleTime.default(0),
  productionBranch: productionBranch.default(defaultProductionBranch),
})

export const projectChange = z
  .strictObject({
    slug: slug.optional(),
    name: projectName.optional(),
    htmlHandling: z.enum(htmlHandlingNames).optional(),
    singlePage: z.boolean().optional(),
    strictTransportSecurity: z.boolean().optional(),
    immutableAssets: z.boolean().optional(),
    staleWhileRevalidate: staleTime.optional(),
    productionBranch: productionBranch.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name at least one field to change')
  .meta({ examples: [{ name: 'My site' }] })

export type Protection = z.infer<typeof protection>
export type ProtectionInput = z.output<typeof protectionInput>
export type Takedown = z.infer<typeof takedown>
export type Project = z.infer<typeof project>
export type NewProject = z.infer<typeof newProject>
export type ProjectChange = z.infer<typeof projectChange>
