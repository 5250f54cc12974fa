import { STATUS_CODES } from 'node:http'
import { detachBytes } from '../../kernel/cache/detach-bytes.ts'
import { httpDate } from '../http-date.ts'
import { keepHeads } from '../kept-heads.ts'

/** The status line and fields of a reply as bytes, without those that differ from answer to answer. */
export interface HeadBytes {
  readonly bytes: Buffer
  readonly status: number
  /** Whether the reply itself asks for the connection to be closed. */
  readonly closes: boolean
}

/** Throws if a field cannot be sent. */
export const headBytesOf = keepHeads(buildHead, (head) => ({ ...head, bytes: detachBytes(head.bytes) }))

/** What would let a header end early (RFC 9110, 5.5), or does not fit in a byte. */
const unsendable = /[^\t -~\x80-\xff]/

function buildHead(status: number, headers: readonly string[]): HeadBytes {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  let closes = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    if (unsendable.test(value)) throw new Error(`The value of ${name} cannot be sent`)
    if (name.toLowerCase() === 'connection') closes ||= value === 'close'
    else text += `${name}: ${value}\r\n`
  }
  return { bytes: Buffer.from(text, 'latin1'), status, closes }
}

let date = ''
let endings: Record<'keepAlive' | 'close', Buffer> = { keepAlive: Buffer.alloc(0), close: Buffer.alloc(0) }

/** The fields that are the same for all answers of one second, and the empty line. */
export function headEnding(keepAlive: boolean): Buffer {
  const now = httpDate()
  if (now !== date) {
    date = now
    endings = { keepAlive: ending('keep-alive'), close: ending('close') }
  }
  return keepAlive ? endings.keepAlive : endings.close
}

function ending(connection: string): Buffer {
  return Buffer.from(`Date: ${date}\r\nConnection: ${connection}\r\n\r\n`, 'latin1')
}
