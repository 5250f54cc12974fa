/**
 * The path of a request as manifests spell it: each segment decoded once, in NFC, repeated slashes merged. Null if it
 * cannot name a published file: dot segments, an encoded slash, NUL, invalid percent or UTF-8 sequences. `raw` is as it
 * came over the wire, one character per byte.
 */
export function decodeSitePath(raw: string): string | null {
  if (raw.charCodeAt(0) !== 47) return null
  return isPlain(raw) ? raw : decodeSegments(raw)
}

/** The inverse, for a Location header. It always has one leading slash, so it never names another host. */
export function encodeSitePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent)
}

/** Printable ASCII without escapes, empty segments or segments that start with a dot: nothing to decode. */
function isPlain(raw: string): boolean {
  let previous = 0
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at)
    if (code <= 32 || code >= 127 || code === 37 /* % */ || code === 92 /* \ */) return false
    if (previous === 47 && (code === 47 /* / */ || code === 46) /* . */) return false
    previous = code
  }
  return true
}

function decodeSegments(raw: string): string | null {
  let segments: string[]
  try {
    segments = raw
      .replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
      .split('/')
      .map(decodeURIComponent)
  } catch {
    return null
  }
  if (segments.some((segment) => segment === '.' || segment === '..' || /[/\\\0]/.test(segment))) return null
  const last = segments.length - 1
  return segments
    .filter((segment, at) => segment !== '' || at === 0 || at === last)
    .join('/')
    .normalize('NFC')
}
