import type { UploadLimits } from '@masthead/contract/deployments.ts'
import { normalizeName } from '@masthead/contract/text/normalize-name.ts'
import { printableText } from '../kernel/escape-text.ts'
import { Problem } from '../kernel/problem.ts'

const maxSegmentBytes = 255
const maxPathBytes = 1024

/** Most names. They pass every check, which takes several times longer. */
const simpleName = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/

/**
 * The published path, such as `/docs/index.html`, for a file name as sent. Archives have relative names; a list of
 * files may start them with a slash (`rooted`). Throws the Problem `path_invalid` for anything but a plain file name
 * below the root.
 */
export function publishablePath(raw: string, { rooted = false } = {}): string {
  const isPath = rooted && raw.startsWith('/')
  const simple = isPath ? raw.slice(1) : raw
  // The same string again: its hash is known, and thousands of copies cost more than the checks.
  if (simple.length <= maxSegmentBytes && simpleName.test(simple)) return isPath ? raw : `/${simple}`
  if (!raw.isWellFormed()) refuse(raw, 'is not valid Unicode')
  // Normalize before the checks: it can turn other characters into ASCII (U+212A becomes K).
  const normalized = normalizeName(raw)
  if (normalized === null) refuse(raw, 'has more accents in a row than a file name can have')
  const name = withoutRoot(normalized, rooted)
  if (name === '') refuse(raw, 'does not name a file')
  if (name.startsWith('/')) refuse(raw, 'is absolute')
  if (/^[A-Za-z]:[/\\]/.test(name)) refuse(raw, 'starts with a drive letter')
  if (name.includes('\\')) refuse(raw, 'contains a backslash')
  if (/\p{Cc}/u.test(name)) refuse(raw, 'contains a control character')
  if (1 + Buffer.byteLength(name) > maxPathBytes) refuse(raw, `is longer than ${maxPathBytes} bytes`)
  for (const segment of name.split('/')) {
    if (segment === '') refuse(raw, 'has an empty segment')
    if (segment === '.' || segment === '..') refuse(raw, `has a segment "${segment}"`)
    if (Buffer.byteLength(segment) > maxSegmentBytes) {
      refuse(raw, `has a segment longer than ${maxSegmentBytes} bytes`)
    }
  }
  return `/${name}`
}

function withoutRoot(name: string, rooted: boolean): string {
  if (name.startsWith('./')) return name.slice(2)
  return rooted && name.startsWith('/') ? name.slice(1) : name
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Throws the Problem `path_invalid` unless it is UTF-8. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    refuse(Buffer.from(bytes).toString('latin1'), 'is not valid UTF-8')
  }
}

/** Quotes and shortens a name for a message. A backslash stays as it is, so that people recognize the name. */
export function quoted(name: string): string {
  return `"${printableText(name, 200)}"`
}

function refuse(raw: string, reason: string): never {
  throw new Problem('path_invalid', `The path ${quoted(raw)} ${reason}.`)
}

/** Each takes memory until the upload has ended, and one path can name hundreds. */
export function maxFolders(limits: Pick<UploadLimits, 'files'>): number {
  return limits.files * 4 + 1000
}

/**
 * The paths of one deployment, as returned by publishablePath. Refuses duplicates, and paths that are both a file and a
 * folder. Case matters, as it does in URLs.
 */
export class PathSet {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()
  readonly #maxFolders: number

  constructor(maxFolders = Number.POSITIVE_INFINITY) {
    this.#maxFolders = maxFolders
  }

  get size(): number {
    return this.#files.size
  }

  add(path: string): void {
    if (this.#files.has(path)) {
      throw new Problem('path_duplicate', `There is more than one file ${quoted(path)}.`)
    }
    if (this.#folders.has(path)) collide(path)
    this.#addParents(path)
    this.#files.add(path)
  }

  addFolder(path: string): void {
    if (this.#files.has(path)) collide(path)
    this.#addParents(path)
    this.#addOneFolder(path)
  }

  #addParents(path: string): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (this.#folders.has(folder)) return
      if (this.#files.has(folder)) collide(folder)
      this.#addOneFolder(folder)
    }
  }

  #addOneFolder(folder: string): void {
    this.#folders.add(folder)
    if (this.#folders.size <= this.#maxFolders) return
    throw new Problem('too_many_files', `The deployment has more than ${this.#maxFolders} folders.`)
  }
}

function collide(path: string): never {
  throw new Problem('path_collision', `${quoted(path)} is both a file and a folder.`)
}
