import { z } from 'zod'
import { type ProblemCode, problems } from '../problems.ts'

/** Enough to work with; further errors show up once these are fixed. */
export const maxErrors = 20

/** RFC 9457. Further members depend on the code. */
export const problemDocument = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
    requestId: z.string(),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .max(maxErrors)
      .optional(),
    moreErrors: z.number().int().optional().meta({ description: 'How many errors `errors` leaves out' }),
  })
  .meta({ id: 'Problem', description: 'What went wrong, for programs (`code`) and for people (`detail`)' })

export type ProblemDocument = z.infer<typeof problemDocument>
