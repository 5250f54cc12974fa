import { z } from 'zod'
import { controlCharacters } from '../text/control-characters.ts'

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
    description: `Id of ${/^[aei]/.test(kind) ? 'an' : 'a'} ${kind}`,
    examples: [`${prefix}_06d8f2k4m9q1s7x3b5n0`],
  }) as unknown as z.ZodType<Id<K>, Id<K>>
}

const oneLine = new RegExp(`^[^${controlCharacters}]*$`, 'u')

/** One line of text, shown as it is. */
export const lineOfText = (maxLength: number) =>
  z.string().trim().max(maxLength).regex(oneLine, 'must not contain control characters')

/** A display name. */
export const name = lineOfText(80)
  .min(1)
  .refine((value) => /[^\p{Z}\p{C}\p{DI}]/u.test(value), 'must have a character that can be seen')

/** ISO 8601 has four digits for a year; later times would be answered in a form that few programs read. */
const latestTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A time that a request names, with any offset. */
export const timeInput = z.iso
  .datetime({ offset: true, abort: true })
  .refine((time) => Date.parse(time) <= latestTime, 'must be before the year 10000 in UTC')

/** How requests name a project. */
export const projectParam = z
  .string()
  .max(60)
  .regex(/^\P{Cc}+$/u, 'must be the id or slug of a project')
  .meta({ description: 'Id or slug' })

/** How many items a page has. */
export function pageLimit(most: number) {
  return z.coerce.number().int().min(1).max(most).default(20)
}

/** Lists come in pages: follow `next` until it is null. */
export const pageQuery = z.strictObject({
  cursor: z
    .string()
    .max(2_000)
    .optional()
    .meta({ description: '`next` of the previous page. Repeat the other parameters with it' }),
  limit: pageLimit(100),
})

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().nullable() })
}

export interface Page<T> {
  items: T[]
  next: string | null
}

export const noBody = z.strictObject({}).optional()
