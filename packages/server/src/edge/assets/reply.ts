import { STATUS_CODES } from 'node:http'
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
}

export const noBody: ReplyBody = { kind: 'none' }

/** The answer to HEAD. */
export function withoutBody(reply: Reply): Reply {
  return { status: reply.status, headers: reply.headers, body: noBody }
}

/** The head of a response as node:http would write it, with the empty line, one character per byte. */
export function responseHead({ status, headers }: Reply, date: string, keepAlive: boolean): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  return `${head}Date: ${date}\r\nConnection: ${keepAlive ? 'keep-alive' : 'close'}\r\n\r\n`
}
