/** How much JSON a route takes. Both are checked before anything is made of the body. */
export interface JsonLimits {
  bytes: number
  /** Members of objects and items of lists, at every depth. */
  entries: number
}

/** Of every route that does not say otherwise. */
export const defaultJsonLimits: JsonLimits = { bytes: 64 * 1024, entries: 1_000 }
