import { z } from 'zod'

/** An id is a prefix for its kind and 20 characters of lower-case base 32 that sort by time. */
export const idPrefixes = {
  account: 'acc',
  person: 'usr',
  key: 'key',
  invitation: 'inv',
  session: 'ses',
  project: 'prj',
  deployment: 'dpl',
  domain: 'dom',
  event: 'evt',
  webhook: 'whk',
  delivery: 'dlv',
  publisher: 'pub',
  request: 'req',
} as const

export type IdKind = keyof typeof idPrefixes
export type Id<K extends IdKind> = `${(typeof idPrefixes)[K]}_${string}`

export function idSchema<K extends IdKind>(kind: K) {
  const prefix = idPrefixes[kind]
  return z.templateLiteral([`${prefix}_`, z.string().regex(/^[0-9a-hjkmnp-tv-z]{20}$/)]).meta({
    description: `Id of a ${kind}`,
    examples: [`${prefix}_06d8f2k4m9q1s7x3b5n0`],
  }) as unknown as z.ZodType<Id<K>, Id<K>>
}

/** A display name: one line of text, shown as it is. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

/** How requests name a project. */
export const projectParam = z
  .string()
  .max(60)
  .regex(/^\P{Cc}+$/u)
  .meta({ description: 'Id or slug' })

/** Lists come in pages: follow `next` until it is null. */
export const pageQuery = z.strictObject({
  cursor: z.string().max(2_000).optional().meta({ description: '`next` of the previous page' }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().nullable() })
}

export interface Page<T> {
  items: T[]
  next: string | null
}

export const noBody = z.strictObject({}).optional()
