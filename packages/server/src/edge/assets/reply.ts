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

/** The answer to HEAD. */
export function withoutBody(reply: Reply): Reply {
  return { ...reply, body: noBody }
}
