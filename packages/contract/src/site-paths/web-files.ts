/**
 * Extensions of what pages load and what programs look for on every site. A missing file of these kinds is never a view
 * of a single-page app. None is a top-level domain: a view may end in `jane@example.com`.
 */
export const webFileExtensions: ReadonlySet<string> = new Set([
  ...['html', 'htm', 'xhtml', 'txt', 'xml', 'pdf'],
  ...['css', 'js', 'mjs', 'cjs', 'map', 'wasm', 'json', 'webmanifest'],
  ...['png', 'apng', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'jxl', 'svg', 'ico', 'bmp'],
  ...['woff', 'woff2', 'ttf', 'otf', 'eot'],
  ...['mp3', 'm4a', 'ogg', 'wav', 'mp4', 'webm', 'vtt'],
])

/** Without an extension. */
const webFileNames = new Set(['apple-app-site-association'])

export function isWebFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot === -1 ? webFileNames.has(name) : webFileExtensions.has(name.slice(dot + 1).toLowerCase())
}
