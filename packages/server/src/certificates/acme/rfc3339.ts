import { z } from 'zod'

/** A time as ACME writes it, in milliseconds since 1970. */
export const rfc3339 = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
