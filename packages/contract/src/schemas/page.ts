import { z } from 'zod'

/** Lists come in pages: follow `next` until it is null. */
export const pageQuery = z.strictObject({
  cursor: z.string().max(2_000).optional().meta({ description: 'The `next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().nullable() })
}

export interface Page<T> {
  items: T[]
  next: string | null
}
