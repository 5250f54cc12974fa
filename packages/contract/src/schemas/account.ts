import { z } from 'zod'
import { eventKinds, eventTypes } from '../events.ts'
import { planNames } from '../plans.ts'
import { idSchema, name } from './fields.ts'

export const accountName = name.meta({ examples: ['Acme'] })
export const plan = z.enum(planNames)

const requestLimits = z.object({
  perMinute: z.number().int().min(1).max(10_000_000),
  perDay: z.number().int().min(1).max(1_000_000_000),
})

/** Limits that an operator sets for one account. */
export const customLimits = requestLimits.strict().extend({
  domainsPerProject: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({ description: 'Maximum custom domains per project; unlimited if left out' }),
  storageBytes: z
    .number()
    .int()
    .min(1_000_000)
    .max(1_000_000_000_000_000)
    .optional()
    .meta({ description: 'Bytes of files the account may store; the same as Business if left out' }),
})

const accountLimits = requestLimits.extend({
  domainsPerProject: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Maximum custom domains per project; null means unlimited' }),
  storageBytes: z.number().int().meta({ description: 'Bytes of files the account may store' }),
})

export const account = z
  .object({
    id: idSchema('account'),
    name: z.string(),
    plan,
    limits: accountLimits.meta({
      description: 'API requests, domains and storage that the plan allows',
    }),
    createdAt: z.iso.datetime(),
    suspension: z
      .object({ since: z.iso.datetime(), reason: z.string() })
      .nullable()
      .meta({ description: 'Set while the operator has suspended the account' }),
  })
  .meta({ id: 'Account' })

/** Deleting an account requires typing its name. */
export const accountDeletion = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'The name of the account, as confirmation', examples: ['Acme'] }),
  removeDomains: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: '`true` deletes the account even while its custom domains are served' }),
})

export const deletedAccount = z
  .object({
    id: idSchema('account'),
    deletedAt: z.iso.datetime(),
    keptUntil: z.iso.datetime().meta({ description: 'How long its activity and its slugs are kept' }),
  })
  .meta({ id: 'DeletedAccount' })

export type DeletedAccount = z.infer<typeof deletedAccount>
export type Account = z.infer<typeof account>
export type CustomLimits = z.infer<typeof customLimits>

export const event = z
  .object({
    id: idSchema('event'),
    type: z.enum(eventTypes),
    at: z.iso.datetime(),
    actor: z.object({
      kind: z.enum(['person', 'key', 'operator', 'system']),
      id: z.string().nullable(),
      name: z.string(),
    }),
    projectId: idSchema('project').nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })

export const eventKind = z
  .enum(eventKinds)
  .meta({ description: 'The subject: the part of `type` before the dot' })

export type AccountEvent = z.infer<typeof event>
