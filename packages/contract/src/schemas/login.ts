import { z } from 'zod'
import { name } from './name.ts'

/** A program (the command line) asks to act for a person, who approves it in the browser. */
export const loginCode = z
  .string()
  .toUpperCase()
  .regex(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  .meta({ description: 'Shown at both ends, so that the person can compare', examples: ['BCDF-GHJK'] })

export const newLogin = z.strictObject({
  client: name.meta({ description: 'What asks, e.g. "masthead on ada-laptop"' }),
})

export const startedLogin = z
  .object({
    code: loginCode,
    secret: z.string().meta({ description: 'For claiming the key; never shown to anyone' }),
    url: z.string().meta({ description: 'Where the person approves' }),
    expiresAt: z.iso.datetime(),
    pollSeconds: z.number().int(),
  })
  .meta({ id: 'StartedLogin' })

export const login = z
  .object({
    code: loginCode,
    client: z.string(),
    address: z.string().meta({ description: 'The network address that asked' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Login' })

export const claimedLogin = z
  .object({
    state: z.enum(['pending', 'approved', 'denied']),
    secret: z.string().nullable().meta({ description: 'The API key, once, when approved' }),
  })
  .meta({ id: 'ClaimedLogin' })
