import type { Content, ContentCache } from './content-cache.ts'
import type { ReplyBody } from './response.ts'

export type BlobBody = Extract<ReplyBody, { kind: 'blob' }>

/** The bytes of a body if they are in memory, null if they must be read first. */
export function contentAtHand(body: ReplyBody, contents: ContentCache): Content | Uint8Array | null {
  switch (body.kind) {
    case 'none':
      return ''
    case 'bytes':
      return body.bytes
    case 'blob': {
      const content = contents.get(body.id)
      return content === undefined ? null : partOf(content, body)
    }
  }
}

export function partOf(content: Content, { range }: BlobBody): Content {
  if (range === null) return content
  const end = range.end + 1
  return typeof content === 'string' ? content.slice(range.start, end) : content.subarray(range.start, end)
}
