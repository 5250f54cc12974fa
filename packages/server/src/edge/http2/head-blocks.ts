import { httpDate } from '../http-date.ts'
import { keepHeads } from '../kept-heads.ts'
import { encodeField, encodeHead } from './hpack/encoder.ts'

/** The encoded head of a reply, without its date. */
export const headBlock = keepHeads(encodeHead)

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
