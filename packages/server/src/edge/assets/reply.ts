import { allowsReuse, isCachingHeader } from '@masthead/contract/site-rules/header-names.ts'
import type { BlobKey } from '../../blobs/blob-store.ts'
import type { ByteRange } from './conditional-requests.ts'

export type ReplyBody =
  | { kind: 'none' }
  | { kind: 'bytes'; bytes: Buffer }
  /** `size` is that of the whole blob, `id` its key in memory, `range` the part to send. */
  | { kind: 'blob'; key: BlobKey; id: string; size: number; range: ByteRange | null }

/** A response as a value. `headers` alternates names and values, as `writeHead` takes them. */
export interface Reply {
  readonly status: number
  readonly headers: string[]
  readonly body: ReplyBody
  /** The published file that it shows. */
  readonly file?: string
}

export const noBody: ReplyBody = { kind: 'none' }

/** There is nothing to gain from keeping what follows from such a reply. */
export function isBuiltPerAnswer({ status }: Pick<Reply, 'status'>): boolean {
  return status === 206 || (status >= 301 && status <= 308 && status !== 304)
}

/** The text of others is the same string in many replies. */
const ownTexts = new Set(['cache-control', 'link', 'vary', 'x-robots-tag'])

/** Roughly what a reply takes in memory besides its body. */
export function bytesOf({ headers }: Reply): number {
  let bytes = 150
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    bytes += ownTexts.has(name.toLowerCase()) ? 16 + value.length : 16
  }
  return bytes
}

/** The same headers, with this for all caches. */
export function withCacheControl(headers: readonly string[], value: string): string[] {
  const changed: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', text = ''] = [headers[at], headers[at + 1]]
    if (!isCachingHeader(name)) changed.push(name, text)
  }
  changed.push('Cache-Control', value)
  return changed
}

/** Whether any cache may use an answer with these headers again without asking. */
export function isReusable(headers: readonly string[]): boolean {
  let isDecided = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    const key = name.toLowerCase()
    // Expires counts only without Cache-Control (RFC 9111, 5.3).
    if (!isCachingHeader(key) || key === 'expires') continue
    if (allowsReuse(value)) return true
    if (key === 'cache-control') isDecided = true
  }
  return !isDecided
}

const forOneVisitor = /(?<![\w-])private(?![\w="-])/i
const sharedLifetime = /(?<![\w-])s-maxage\s*=\s*"?\d+"?/gi

/** The same headers, except that caches which several visitors share ask before they use the answer again. */
export function withoutSharedReuse(headers: readonly string[]): string[] {
  const changed: string[] = []
  let hasCacheControl = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    const key = name.toLowerCase()
    const isForAll = key === 'cache-control'
    hasCacheControl ||= isForAll
    if (isForAll) changed.push(name, unshared(value))
    else if (!isCachingHeader(key) || key === 'expires' || !allowsReuse(value)) changed.push(name, value)
  }
  if (!hasCacheControl) changed.push('Cache-Control', 's-maxage=0')
  return changed
}

function unshared(value: string): string {
  if (!allowsReuse(value) || forOneVisitor.test(value)) return value
  const hasOwn = value.search(sharedLifetime) !== -1
  return hasOwn ? value.replace(sharedLifetime, 's-maxage=0') : `${value}, s-maxage=0`
}

/** The answer to HEAD. */
export function withoutBody(reply: Reply): Reply {
  return { ...reply, body: noBody }
}
