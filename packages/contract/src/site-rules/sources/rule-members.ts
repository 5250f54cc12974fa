import { z } from 'zod'
import { htmlHandlingNames, protectionLimits } from '../../project-settings.ts'
import { ruleLimits, ruleStatuses } from '../rules.ts'
import { isCountry } from './conditions.ts'

const text = z.string().min(1).max(ruleLimits.redirectLine)
const language = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,35}$/, 'is not a language, such as de or pt-BR')
  .meta({ examples: ['de'] })

const country = z
  .string()
  .refine(isCountry, 'is not a country, such as de or US')
  .meta({ examples: ['de'] })

export const redirectMember = z.strictObject({
  from: text.meta({
    description: 'A path, with `:name` and `*`, or an address with a domain of the project',
  }),
  to: text.meta({ description: 'A path or an address, with what `from` matched as `:name` and `:splat`' }),
  status: z
    .union(ruleStatuses.map((status) => z.literal(status)))
    .default(301)
    .meta({ description: '200 and 404 show another file of the site; the others redirect' }),
  force: z.boolean().optional().meta({ description: 'Applies even if there is a file at the path' }),
  query: z
    .record(z.string().min(1).max(200), z.string().max(ruleLimits.redirectLine))
    .optional()
    .meta({ description: 'Parameters that the query must have; a value such as `:id` matches any' }),
  language: z
    .union([language, z.array(language).min(1).max(50)], 'is neither a language nor a list of languages')
    .optional()
    .meta({ description: "The visitor's first language must be one of these" }),
  country: z
    .union([country, z.array(country).min(1).max(250)], 'is neither a country nor a list of countries')
    .optional()
    .meta({
      description: 'The visitor must be in one of these. Only on servers that know where visitors are',
    }),
})

const headerValue = z.string().max(ruleLimits.headerLine)

export const headersMember = z.strictObject({
  for: text.meta({ description: 'A path, with `:name` and `*`' }),
  values: z
    .record(
      z.string().min(1).max(100),
      z.union(
        [headerValue, z.array(headerValue).min(1).max(50), z.null()],
        'is not a text, a list of texts or null',
      ),
    )
    .meta({ description: 'Headers by name. null removes one' }),
})

const password = z.string().min(1).max(protectionLimits.passwordBytes)

export const protectMember = z
  .strictObject({
    for: text.default('/*').meta({ description: 'A path, with `:name` and `*`; everything by default' }),
    password: password.optional().meta({ description: 'For everyone' }),
    users: z
      .record(z.string().min(1).max(protectionLimits.userBytes), password)
      .optional()
      .meta({ description: 'Passwords by user' }),
  })
  .refine(({ password, users }) => (password === undefined) !== (users === undefined), {
    message: 'needs either a password or users',
  })

/** The members of masthead.json and masthead.yaml that say how the site is served. */
export const ruleMembers = {
  redirects: z.array(redirectMember).max(ruleLimits.entries).optional(),
  headers: z.array(headersMember).max(ruleLimits.entries).optional(),
  protect: z
    .array(protectMember)
    .max(protectionLimits.rulesPerSite)
    .optional()
    .meta({ description: 'Paths that visitors need a password for' }),
  htmlHandling: z
    .enum(htmlHandlingNames)
    .optional()
    .meta({ description: "How URLs map to HTML files, instead of the project's setting" }),
  notFound: z
    .string()
    .regex(/^\/(?!\/)/, 'starts with a slash, such as /404.html')
    .max(1_024)
    .optional()
    .meta({ description: 'The page for missing paths, instead of the nearest 404.html' }),
  spa: z
    .boolean()
    .optional()
    .meta({ description: "Show index.html for missing paths, instead of the project's setting" }),
}
