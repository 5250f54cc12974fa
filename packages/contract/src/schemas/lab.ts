import { z } from 'zod'
import { labRecordTypes } from '../lab-record-types.ts'

export const labRecord = z
  .object({
    name: z.string(),
    type: z.enum(labRecordTypes),
    values: z.array(z.string()),
    ttl: z.number().int(),
  })
  .meta({ id: 'LabRecord' })

export const labRecordInput = z.strictObject({
  values: z.array(z.string().min(1).max(2_000)).min(1).max(20),
  ttl: z.number().int().min(0).max(86_400).default(60),
})

export const labRecordParams = z.object({
  name: z
    .string()
    .min(1)
    .max(260)
    .meta({ examples: ['www.acme.localhost'] }),
  type: z.enum(labRecordTypes),
})

export type LabRecord = z.infer<typeof labRecord>
export type LabRecordType = (typeof labRecordTypes)[number]
