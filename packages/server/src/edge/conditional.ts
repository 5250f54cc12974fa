/** Whether If-None-Match names this entity tag, compared weakly (RFC 9110, 13.1.2). `etag` is a strong tag. */
export function noneMatchNames(header: string, etag: string): boolean {
  if (header === etag) return true
  if (header.trim() === '*') return true
  return tagsIn(header).includes(etag)
}

/** Whether a Range still fits what the client has: only a strong tag can say so; we send no dates. */
export function ifRangeHolds(header: string | string[] | undefined, etag: string): boolean {
  return header === undefined || (typeof header === 'string' && header.trim() === etag)
}

/** Opaque tags with their quotes, weakness aside. A tag may hold a comma, so the header cannot just be split. */
function tagsIn(header: string): string[] {
  return header.match(/"[^"]*"/g) ?? []
}
