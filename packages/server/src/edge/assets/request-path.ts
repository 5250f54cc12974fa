import { challengePath } from '../../kernel/challenge-path.ts'

export interface RequestTarget {
  /** Only in absolute form, where it replaces the Host header (RFC 9112, 3.2.2). */
  authority: string | null
  path: string
  /** With its question mark, or empty. */
  query: string
  /** Whether it is for the challenge folder, which never redirects. */
  isChallenge: boolean
}

/** Splits the target of a request line without changing a byte of it. */
export function readRequestTarget(target: string): RequestTarget {
  if (target.charCodeAt(0) === 47 /* / */) return split(null, target)
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target)
  if (absolute === null) return { authority: null, path: target, query: '', isChallenge: false }
  const rest = absolute[2] ?? ''
  return split(absolute[1] ?? '', rest.startsWith('/') ? rest : `/${rest}`)
}

function split(authority: string | null, rest: string): RequestTarget {
  const isChallenge = rest.startsWith(challengePath)
  const mark = rest.indexOf('?')
  return mark === -1
    ? { authority, path: rest, query: '', isChallenge }
    : { authority, path: rest.slice(0, mark), query: rest.slice(mark), isChallenge }
}

/**
 * Where certificate authorities look for proof of control over a host: RFC 8555, 8.3, and the Baseline Requirements of
 * the CA/Browser Forum, 3.2.2.4.18.
 */
const validationFolders = [challengePath, '/.well-known/pki-validation/']

/**
 * Whether a file at this path could get somebody a certificate for the host. On platform names no published file answers
 * there: the name is ours, not the site owner's.
 */
export function isValidationPath(rawPath: string): boolean {
  if (!mayStartWithDot(rawPath) || !/^\/+(?:\.|%2e)/i.test(rawPath)) return false
  const path = decodeSitePath(rawPath)
  return path !== null && validationFolders.some((folder) => path.startsWith(folder))
}

/** Almost no path does, and looking costs less than the regular expression. */
function mayStartWithDot(rawPath: string): boolean {
  const second = rawPath.charCodeAt(1)
  return second === 46 /* . */ || second === 37 /* % */ || second === 47 /* / */
}

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
