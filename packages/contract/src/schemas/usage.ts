import { z } from 'zod'
import { idSchema } from './fields.ts'

const quota = z.object({
  limit: z.number().int(),
  used: z.number().int(),
  remaining: z.number().int(),
  resetAt: z.iso.datetime().meta({ description: 'When the window ends and the count resets' }),
})

const counts = z.array(
  z.object({
    start: z.iso.datetime(),
    requests: z.number().int().meta({ description: 'Admitted' }),
    rejected: z.number().int().meta({ description: 'Answered with 429, not included in `requests`' }),
  }),
)

export const usage = z
  .object({
    minute: quota,
    day: quota,
    storage: z.object({ limit: z.number().int(), used: z.number().int(), remaining: z.number().int() }).meta({
      description:
        'Bytes. Identical files count once; compressed copies are not counted; running uploads count with their announced size',
    }),
    bans: z
      .array(
        z.object({
          keyId: idSchema('key'),
          keyName: z.string(),
          since: z.iso.datetime(),
          until: z.iso.datetime(),
          violations: z.number().int().meta({ description: 'Requests sent during the wait' }),
          nextBanSeconds: z.number().int().meta({ description: 'How long the next ban would last' }),
        }),
      )
      .meta({ description: 'Keys that are currently banned' }),
    keys: z
      .array(z.object({ keyId: idSchema('key'), keyName: z.string(), requests: z.number().int() }))
      .meta({ description: 'Keys that sent requests today (UTC), with the number admitted' }),
    history: z.object({
      minutes: counts.meta({ description: 'Every minute of the last two hours, oldest first' }),
      days: counts.meta({ description: 'Every UTC day of the last thirty, oldest first' }),
    }),
  })
  .meta({ id: 'Usage' })

export type Usage = z.infer<typeof usage>
