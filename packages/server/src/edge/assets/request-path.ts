export interface RequestTarget {
  /** Only in the absolute form, where it stands in for the Host header (RFC 9112, 3.2.2). */
  authority: string | null
  path: string
  /** With its question mark, or empty. */
  query: string
}

/** Takes the target of a request line apart without changing a byte of it. */
export function readRequestTarget(target: string): RequestTarget {
  if (target.charCodeAt(0) === 47 /* / */) return divide(null, target)
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target)
  if (absolute === null) return { authority: null, path: target, query: '' }
  const rest = absolute[2] ?? ''
  return divide(absolute[1] ?? '', rest.startsWith('/') ? rest : `/${rest}`)
}

function divide(authority: string | null, rest: string): RequestTarget {
  const mark = rest.indexOf('?')
  return mark === -1
    ? { authority, path: rest, query: '' }
    : { authority, path: rest.slice(0, mark), query: rest.slice(mark) }
}

/**
 * The path of a request as manifests write it: decoded once per segment, in NFC, runs of slashes as one. Null for
 * what cannot name a published file: dot segments, an encoded slash, NUL, broken percent or UTF-8 sequences.
 * `raw` is as it came over the wire, one character a byte.
 */
export function decodeSitePath(raw: string): string | null {
  if (raw.charCodeAt(0) !== 47) return null
  return isPlain(raw) ? raw : decodeSegments(raw)
}

/** The inverse, for a Location header: always one leading slash, so that it never names another host. */
export function encodeSitePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent)
}

/** Printable ASCII without escapes, empty segments or segments that begin with a dot: nothing to decode. */
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeSegments(raw: string): string | null {
  let segments: string[]
  try {
    segments = utf8.decode(Buffer.from(raw, 'latin1')).split('/').map(decodeURIComponent)
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
