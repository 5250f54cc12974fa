import { lookup } from 'mrmime'

/** What the table of `mrmime` leaves out. */
const alsoKnown = new Map([
  ['ico', 'image/x-icon'],
  ['m3u8', 'application/vnd.apple.mpegurl'],
  ['tar', 'application/x-tar'],
])

/** By the ending of the name alone: published bytes are never guessed at. */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const extension = dot === -1 ? '' : name.slice(dot + 1).toLowerCase()
  const type: unknown = alsoKnown.get(extension) ?? lookup(extension)
  // The table is a plain object: `photo.constructor` would find what objects inherit.
  if (extension === '' || typeof type !== 'string') return 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
