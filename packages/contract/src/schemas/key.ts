import { z } from 'zod'
import { scopeNames } from '../scopes.ts'
import { idSchema, name } from './fields.ts'

export const key = z
  .object({
    id: idSchema('key'),
    name: z.string(),
    scopes: z.array(z.enum(scopeNames)),
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
  name,
  scopes: z.array(z.enum(scopeNames)).min(1).default(['read', 'deploy', 'domains']),
  expiresAt: z.iso.datetime({ offset: true }).nullable().default(null),
})

export type Key = z.infer<typeof key>
export type CreatedKey = z.infer<typeof createdKey>

/** A program (the CLI) asks to act for a person, who approves it in the browser. */
export const loginCode = z
  .string()
  .toUpperCase()
  .regex(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
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
