import { decodeSitePath } from '@masthead/contract/site-paths/site-path.ts'
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
  return path !== null && isValidationFile(path)
}

export function isValidationFile(path: string): boolean {
  return validationFolders.some((folder) => path.startsWith(folder))
}

/** Almost no path does, and looking costs less than the regular expression. */
function mayStartWithDot(rawPath: string): boolean {
  const second = rawPath.charCodeAt(1)
  return second === 46 /* . */ || second === 37 /* % */ || second === 47 /* / */
}
