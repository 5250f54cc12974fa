import type { BlobKey } from '../blobs/blob-store.ts'
import type { ByteRange } from './range.ts'

export type ReplyBody =
  | { kind: 'none' }
  | { kind: 'bytes'; bytes: Uint8Array }
  /** `size` is that of the whole blob, `id` names it in memory, `range` is the part to send. */
  | { kind: 'blob'; key: BlobKey; id: string; size: number; range: ByteRange | null }

/** A response as a value. `headers` are names and values in turn, as `writeHead` takes them; wire.ts sends it. */
export interface Reply {
  readonly status: number
  readonly headers: string[]
  readonly body: ReplyBody
}

export const noBody: ReplyBody = { kind: 'none' }

/** The answer to HEAD: everything but the content. */
export function withoutBody(reply: Reply): Reply {
  return { status: reply.status, headers: reply.headers, body: noBody }
}
