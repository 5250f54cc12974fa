import { z } from 'zod'
import { scopeNames } from '../scopes.ts'
import { trustLimits } from '../trust/trusted-publishers.ts'
import { idSchema, name, projectParam, timeInput } from './fields.ts'

const keyProject = z.object({ id: idSchema('project'), slug: z.string() })

export const key = z
  .object({
    id: idSchema('key'),
    name: z.string(),
    scopes: z.array(z.enum(scopeNames)),
    project: keyProject
      .nullable()
      .meta({ description: 'The only project that the key can use; null: all of the account' }),
    hint: z.string().meta({ description: 'The last four characters of the secret, to tell keys apart' }),
    createdAt: z.iso.datetime(),
    createdBy: z
      .object({ kind: z.enum(['person', 'key', 'operator', 'system']), name: z.string() })
      .nullable()
      .meta({ description: 'Who created it, with the name they had then; null if unknown' }),
    responsible: idSchema('person')
      .nullable()
      .meta({ description: "The key ends with this person's membership, unless it is kept" }),
    expiresAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable().meta({ description: 'Accurate to the minute' }),
  })
  .meta({ id: 'Key' })

export const createdKey = key
  .extend({ secret: z.string().meta({ description: 'Shown only once; we store only a hash' }) })
  .meta({ id: 'CreatedKey' })

export const newKey = z.strictObject({
  name: name.meta({ examples: ['ci'] }),
  scopes: z.array(z.enum(scopeNames)).min(1).default(['read', 'deploy', 'domains']),
  expiresAt: timeInput.nullable().default(null),
  project: projectParam
    .nullable()
    .default(null)
    .meta({ description: 'Limits the key to this project, by id or slug' }),
})

export type Key = z.infer<typeof key>
export type CreatedKey = z.infer<typeof createdKey>

/** A program (the CLI) asks to act for a person, who approves it in the browser. */
export const loginCode = z
  .string()
  .toUpperCase()
  .regex(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/, 'must be a code such as BCDF-GHJK')
  .meta({ description: 'Shown in the program and in the browser, to compare', examples: ['BCDF-GHJK'] })

export const newLogin = z.strictObject({
  client: name.meta({ description: 'The program that asks, e.g. "masthead on ada-laptop"' }),
})

export const startedLogin = z
  .object({
    code: loginCode,
    secret: z.string().meta({ description: 'For claiming the key; never displayed' }),
    url: z.string().meta({ description: 'Where the person approves the login' }),
    expiresAt: z.iso.datetime(),
    pollSeconds: z.number().int(),
  })
  .meta({ id: 'StartedLogin' })

export const login = z
  .object({
    code: loginCode,
    client: z.string(),
    address: z.string().meta({ description: 'The IP address the request came from' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Login' })

export const claimedLogin = z
  .object({
    state: z.enum(['pending', 'approved', 'denied']),
    secret: z.string().nullable().meta({ description: 'The API key, returned once when approved' }),
  })
  .meta({ id: 'ClaimedLogin' })

/** A pipeline that can exchange its tokens for keys. */
const claimName = z
  .string()
  .regex(/^[\w.:/-]+$/, 'must only contain letters, digits and _ . : / -')
  .max(trustLimits.claimNameLength)
const claimValue = z
  .string()
  .min(1)
  .max(trustLimits.claimValueLength)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

const claims = z
  .record(claimName, claimValue)
  .refine((value) => Object.keys(value).length <= trustLimits.claims, {
    message: `must not have more than ${trustLimits.claims} claims`,
  })
  .meta({
    description: 'Claims that the token must have, each with exactly this value',
    examples: [{ repository: 'acme/website', ref: 'refs/heads/main' }],
  })

const issuer = z
  .string()
  .min(1)
  .max(trustLimits.issuerLength)
  .meta({
    description: 'The `iss` of the tokens, exactly; https only',
    examples: ['https://token.actions.githubusercontent.com'],
  })

export const trustedPublisher = z
  .object({
    id: idSchema('publisher'),
    issuer: z.string(),
    claims: z.record(z.string(), z.string()),
    project: keyProject,
    audience: z.string().meta({ description: 'The `aud` that tokens need: the origin of this API' }),
    createdAt: z.iso.datetime(),
    createdBy: z.string().meta({ description: 'The name of who added it' }),
    responsible: idSchema('person')
      .nullable()
      .meta({ description: "It ends with this person's membership, unless it is kept" }),
    lastUsedAt: z.iso.datetime().nullable().meta({ description: 'The last exchange of a token' }),
  })
  .meta({ id: 'TrustedPublisher' })

export const newTrustedPublisher = z.strictObject({ issuer, claims, project: projectParam })

export const tokenExchange = z.strictObject({
  token: z
    .string()
    .min(1)
    .max(trustLimits.tokenLength)
    .meta({ description: 'The ID token that the pipeline got from its provider' }),
  project: projectParam,
})

export const exchangedKey = z
  .object({
    secret: z.string().meta({ description: 'An API key that can only deploy to this project' }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'ExchangedKey' })

export type TrustedPublisher = z.infer<typeof trustedPublisher>
export type NewTrustedPublisher = z.infer<typeof newTrustedPublisher>
export type ExchangedKey = z.infer<typeof exchangedKey>
