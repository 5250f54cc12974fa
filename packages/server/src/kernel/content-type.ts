import { types } from 'mime-types'

/** Extensions for which the registries have no type, several, or the wrong one for websites. */
const corrections = new Map([
  ['cjs', 'text/javascript'],
  ['diff', 'text/plain'],
  ['flac', 'audio/flac'],
  ['graphql', 'application/graphql'],
  ['ico', 'image/x-icon'],
  ['mobileconfig', 'application/x-apple-aspen-config'],
  ['patch', 'text/plain'],
  ['rs', 'text/plain'],
  ['tgz', 'application/gzip'],
  ['topojson', 'application/json'],
  ['vcf', 'text/vcard'],
  ['xml', 'text/xml'],
  ['zst', 'application/zstd'],
])

const registered = new Map(Object.entries(types))

/** Files recognized by their whole name. */
const wholeNames = new Map([['apple-app-site-association', 'application/json']])

/** The media type by file name, without parameters. Contents are never sniffed. */
export function mediaTypeOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  if (dot === -1) return wholeNames.get(name) ?? null
  const extension = name.slice(dot + 1).toLowerCase()
  if (extension === '') return null
  return corrections.get(extension) ?? registered.get(extension) ?? null
}

/** The value of a Content-Type header. */
export function contentTypeOf(path: string): string {
  const type = mediaTypeOf(path) ?? 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

/** Whether the file is the gzip form of its type: an SVG, which browsers only show with `Content-Encoding: gzip`. */
export function isStoredGzipped(path: string): boolean {
  return path.toLowerCase().endsWith('.svgz')
}

const textual = /^text\/|[/+](json|xml|xml-dtd|wasm|toml|sql|graphql|postscript|x-sh|x-subrip|rtf)$|mpegurl$/
const uncompressedBinaries = new Set([
  'font/ttf',
  'font/otf',
  'application/vnd.ms-fontobject',
  'font/collection',
  'image/bmp',
  'image/x-icon',
  'model/obj',
  'model/stl',
  'model/gltf-binary',
])

/** Whether files of this type usually shrink. Images, video, woff2 and archives are already compressed. */
export function isCompressible(path: string): boolean {
  const type = mediaTypeOf(path) ?? ''
  return !isStoredGzipped(path) && (textual.test(type) || uncompressedBinaries.has(type))
}
