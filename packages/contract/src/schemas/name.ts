import { z } from 'zod'

/** What people call things: one line of text, shown as it is. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
