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

/** What caches go by. Some of these fields are for CDNs only. */
const cachingField = /cache-control$|^surrogate-control$|^expires$/i

/** The same headers, with this for all caches. */
export function withCacheControl(headers: readonly string[], value: string): string[] {
  const changed: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', text = ''] = [headers[at], headers[at + 1]]
    if (!cachingField.test(name)) changed.push(name, text)
  }
  changed.push('Cache-Control', value)
  return changed
}

/** The answer to HEAD. */
export function withoutBody(reply: Reply): Reply {
  return { ...reply, body: noBody }
}
