import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { scopeNames } from '../scopes.ts'
import { name } from './name.ts'

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
      .meta({ description: 'Who created it, by the name at that time; null: not known' }),
    responsible: idSchema('person')
      .nullable()
      .meta({ description: 'The person with whose membership the key ends, unless it is kept' }),
    expiresAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable().meta({ description: 'To the minute' }),
  })
  .meta({ id: 'Key' })

export const createdKey = key
  .extend({ secret: z.string().meta({ description: 'Shown this once; only a hash of it is kept' }) })
  .meta({ id: 'CreatedKey' })

export const newKey = z.strictObject({
  name,
  scopes: z.array(z.enum(scopeNames)).min(1).default(['read', 'deploy', 'domains']),
  expiresAt: z.iso.datetime({ offset: true }).nullable().default(null),
})

export type Key = z.infer<typeof key>
export type CreatedKey = z.infer<typeof createdKey>
