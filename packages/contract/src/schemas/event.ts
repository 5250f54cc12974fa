import { z } from 'zod'
import { eventKinds, eventTypes } from '../events.ts'
import { idSchema } from '../ids.ts'

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
  .meta({ description: 'What it is about: the part of `type` before the dot' })

export type AccountEvent = z.infer<typeof event>
