import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { planNames } from '../plans.ts'
import { name } from './name.ts'

export const accountName = name
export const plan = z.enum(planNames)

export const accountLimits = z.object({
  perMinute: z.number().int().min(1).max(10_000_000),
  perDay: z.number().int().min(1).max(1_000_000_000),
})

export const account = z
  .object({
    id: idSchema('account'),
    name: z.string(),
    plan,
    limits: accountLimits.meta({ description: 'Requests to the API that the plan allows' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Account' })

export type Account = z.infer<typeof account>
