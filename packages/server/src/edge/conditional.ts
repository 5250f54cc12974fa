/** Whether If-None-Match names this entity tag, compared weakly (RFC 9110, 13.1.2). `etag` is a strong tag. */
export function noneMatchNames(header: string, etag: string): boolean {
  if (header === etag) return true
  if (header.trim() === '*') return true
  return tagsIn(header).includes(etag)
}

/** Whether If-Match names this entity tag, compared strongly (RFC 9110, 13.1.1). `etag` is a strong tag. */
export function matchNames(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsWithStrength(header).includes(etag)
}

/** Whether it changed after the date, by If-Unmodified-Since. What is no date counts as left out. */
export function changedSince(header: string, lastModified: string): boolean {
  return readDate(header) < Date.parse(lastModified)
}

/** The three forms of RFC 9110, 5.6.7; NaN for anything else, which compares as false. */
function readDate(header: string): number {
  const text = header.trim()
  if (text.length > 40) return Number.NaN
  if (/^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/.test(text)) return Date.parse(`${text} GMT`)
  return /^\w+, \d\d[ -]\w{3}[ -]\d+ [\d:]{8} GMT$/.test(text) ? Date.parse(text) : Number.NaN
}

/**
 * Whether a Range still fits what the client has. Only a strong tag can say so: two deployments may be created within
 * a second, and a rollback goes back in time, so a date cannot.
 */
export function ifRangeHolds(header: string | string[] | undefined, etag: string): boolean {
  return header === undefined || (typeof header === 'string' && header.trim() === etag)
}

function tagsWithStrength(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Opaque tags with their quotes, weakness aside. A tag may hold a comma, so the header cannot just be split. */
function tagsIn(header: string): string[] {
  return header.match(/"[^"]*"/g) ?? []
}
