import { normalizeName } from '../text/normalize-name.ts'

/**
 * The path of a request as manifests spell it: each segment decoded once, in NFC, repeated slashes merged. Null if it
 * cannot name a published file: dot segments, an encoded slash, NUL, invalid percent or UTF-8 sequences, accents in
 * long rows. `raw` is as it
 * came over the wire, one character per byte.
 */
export function decodeSitePath(raw: string): string | null {
  const path = decodeRoutePath(raw)
  return path?.isWellFormed() ? path : null
}

/**
 * The same for rules and views of single-page apps, which are no files. A byte that no file name has (an escaped slash or
 * backslash, NUL, a percent sign without digits, what is not UTF-8) becomes a lone surrogate, U+DC00 plus the byte, as
 * Python's surrogateescape does it. So `*` and `:name` can contain an escaped slash that nothing reads as a slash. Null if
 * the path has dot segments, also between escaped slashes, or accents in long rows.
 */
export function decodeRoutePath(raw: string): string | null {
  if (raw.charCodeAt(0) !== 47) return null
  return isPlain(raw) ? raw : decodeSegments(raw)
}

/**
 * A decoded path, and the same with its escaped slashes read as slashes: an app may read them so. What protects
 * `/admin/*` has to look at both.
 */
export function readingsOf(path: string): string[] {
  if (path.isWellFormed()) return [path]
  return [path, path.replace(escapedSlash, '/').replace(/\/{2,}/g, '/')]
}

/** Encodes text of a decoded path. Its escaped bytes stay escaped. */
export function encodeText(text: string, encode: (text: string) => string): string {
  if (text.isWellFormed()) return encode(text)
  return text.replace(/([\udc00-\udcff])|[^\udc00-\udcff]+/gu, (part, byte) =>
    byte === undefined ? encode(part.toWellFormed()) : escapeByte(byte.charCodeAt(0) - firstByte),
  )
}

/** Software that decodes a Location could read such text after a slash as the address of another host. */
export function startsWithEscapedSlash(text: string): boolean {
  return !text.isWellFormed() && /^[\p{Cc}\p{Z}/\udc00]*[\udc2f\udc5c]/u.test(text)
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

const firstByte = 0xdc00
const escapedSlash = /[\udc2f\udc5c]/gu

/** One character of several bytes in UTF-8 (RFC 3629, 4), or else a byte that is part of none. */
const characters =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g

function decodeSegments(raw: string): string | null {
  const bytes = raw.replace(/%([0-9a-f]{2})|[%\\\0]/gi, (text, hex) => {
    const code = hex === undefined ? text.charCodeAt(0) : Number.parseInt(hex, 16)
    const isKept = hex === undefined || code === 0 || code === 47 /* / */ || code === 92 /* \ */
    return String.fromCharCode(isKept ? firstByte + code : code)
  })
  const path = bytes.replace(characters, decodeCharacter)
  if (path.split(/[/\udc2f\udc5c]/u).some((segment) => segment === '.' || segment === '..')) return null
  return normalizeName(path.replace(/\/{2,}/g, '/'))
}

/** Of UTF-8: the first byte has as many bits of the character as are left by the number of bytes, the others six each. */
function decodeCharacter(bytes: string): string {
  const { length } = bytes
  if (length === 1) return String.fromCharCode(firstByte + bytes.charCodeAt(0))
  let code = bytes.charCodeAt(0) & (0x7f >> length)
  for (let at = 1; at < length; at++) code = (code << 6) | (bytes.charCodeAt(at) & 0x3f)
  return String.fromCodePoint(code)
}

function escapeByte(code: number): string {
  return `%${code.toString(16).padStart(2, '0').toUpperCase()}`
}
