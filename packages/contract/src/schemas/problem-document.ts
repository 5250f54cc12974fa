import { z } from 'zod'
import { type ProblemCode, problems } from '../problems.ts'

/** So many of them are told; somebody who has mended these sees the next. */
export const maxErrors = 20

/** RFC 9457. Members beside these depend on the code. */
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
    moreErrors: z
      .number()
      .int()
      .optional()
      .meta({ description: 'How many more there are than `errors` tells' }),
  })
  .meta({ id: 'Problem', description: 'What went wrong, for programs (`code`) and for people (`detail`)' })

export type ProblemDocument = z.infer<typeof problemDocument>
