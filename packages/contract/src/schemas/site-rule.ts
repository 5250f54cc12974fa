import { z } from 'zod'
import { isCountry } from '../site-rules/sources/conditions.ts'
import { idSchema } from './fields.ts'

const pair = z.object({ name: z.string(), value: z.string() })

const place = {
  file: z.string().meta({ description: 'The file it comes from, as a path of the site' }),
  line: z.number().int().nullable().meta({ description: 'Null if it is not known' }),
}

export const siteRule = z
  .object({
    kind: z.enum(['redirect', 'headers', 'setting', 'protect']),
    ...place,
    from: z.string().nullable().meta({ description: 'The pattern of paths, as written; null for settings' }),
    to: z
      .string()
      .nullable()
      .meta({ description: 'The target of a redirect or rewrite, or the value of a setting' }),
    name: z.string().nullable().meta({ description: 'The name of a setting' }),
    status: z.number().int().nullable(),
    force: z.boolean().meta({ description: 'Whether it applies even if there is a file at the path' }),
    query: z.array(pair).meta({ description: 'Parameters that the query must have' }),
    languages: z.array(z.string()).meta({ description: "The visitor's first language must be one of these" }),
    countries: z
      .array(z.string())
      .meta({ description: 'The visitor must be in one of these countries, by their ISO 3166 codes' }),
    users: z
      .array(z.string())
      .meta({ description: 'Whose passwords it asks for; empty if there is one for everybody' }),
    set: z.array(pair).meta({ description: 'Headers that it adds' }),
    unset: z.array(z.string()).meta({ description: 'Headers that it removes' }),
  })
  .meta({ id: 'SiteRule' })

export const rulesQuery = z.strictObject({
  contains: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Only rules with this text in a path, a target, a header or the file' }),
})

export const explainQuery = z.strictObject({
  url: z.string().min(1).max(8_000).meta({ description: 'An address of one of your sites' }),
  deployment: idSchema('deployment').optional().meta({ description: 'Instead of the one that is live' }),
  language: z.string().max(1_000).optional().meta({ description: 'The `Accept-Language` of the visitor' }),
  country: z
    .string()
    .refine(isCountry, 'is not a country, such as de or US')
    .optional()
    .meta({ description: 'Where the visitor is' }),
})

const answerSteps = {
  challenge: 'a challenge of a certificate authority, before any rule',
  'domain-redirect': 'a redirect of the domain, from the settings of the project',
  'forced-rule': 'a forced rule',
  file: 'a file of the site',
  rule: 'a rule',
  'html-handling': 'HTML handling: the path that shows the page',
  'not-found': 'the page for missing paths',
  unavailable:
    'a page of the server, because the site is taken down, nothing is published or the address is too long for its rules',
} as const

export const explanation = z
  .object({
    project: z.string(),
    deployment: idSchema('deployment').nullable(),
    step: z.enum(Object.keys(answerSteps) as [keyof typeof answerSteps, ...(keyof typeof answerSteps)[]]),
    rule: siteRule.nullable().meta({ description: 'The rule that answered' }),
    file: z.string().nullable().meta({ description: 'The published file that is shown' }),
    status: z.number().int(),
    headers: z
      .array(pair.extend({ from: z.array(z.object(place)) }))
      .meta({ description: 'With the rules that set them; the others are set by the server' }),
    settings: z.array(siteRule).meta({ description: "Settings of the deployment instead of the project's" }),
    protection: z.array(z.object({ file: place.file.nullable(), line: place.line })).meta({
      description:
        'What asks visitors for a password before they get this answer. Without a file: the settings of the project',
    }),
    passedOver: z
      .array(z.object({ rule: siteRule, why: z.string() }))
      .meta({ description: 'Up to 50 rules for the path that did not apply' }),
  })
  .meta({ id: 'Explanation' })

export type SiteRule = z.infer<typeof siteRule>
export type Explanation = z.infer<typeof explanation>
export type AnswerStep = keyof typeof answerSteps
