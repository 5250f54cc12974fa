import type { Reply } from '../assets/reply.ts'
import { httpDate } from '../http-date.ts'
import { encodeField, encodeHead } from './hpack/encoder.ts'

interface HeadBlock {
  readonly status: number
  readonly bytes: Buffer
  /** Of another status with the same fields, such as the 404 page that is also a page of its own. */
  readonly next: HeadBlock | null
}

/** By the fields instead of the reply: the replies to GET and HEAD share them. */
const blocks = new WeakMap<readonly string[], HeadBlock>()

/** The encoded head of a reply, without its date. The reply of an asset is encoded once. */
export function headBlock({ status, headers }: Reply): Buffer {
  const known = blocks.get(headers)
  for (let block = known ?? null; block !== null; block = block.next) {
    if (block.status === status) return block.bytes
  }
  const bytes = encodeHead(status, headers)
  blocks.set(headers, { status, bytes, next: known ?? null })
  return bytes
}

let date = ''
let encodedDate: Buffer = Buffer.alloc(0)

/** The Date field, encoded once a second. */
export function dateField(): Buffer {
  const now = httpDate()
  if (now !== date) {
    date = now
    encodedDate = encodeField('date', now)
  }
  return encodedDate
}
