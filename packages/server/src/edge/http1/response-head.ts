import { STATUS_CODES } from 'node:http'
import type { Reply } from '../assets/reply.ts'
import { httpDate } from '../http-date.ts'

/** The status line and fields of a reply as bytes, without those that differ from answer to answer. */
export interface HeadBytes {
  readonly status: number
  readonly bytes: Buffer
  /** Whether the reply itself asks for the connection to be closed. */
  readonly closes: boolean
  /** Of another status with the same fields, such as the 404 page that is also a page of its own. */
  readonly next: HeadBytes | null
}

/** By the fields instead of the reply: the replies to GET and HEAD share them. */
const heads = new WeakMap<readonly string[], HeadBytes>()

/** Built for one answer only, so there is nothing to gain from keeping them. */
const builtPerAnswer = new Set([206, 301, 302, 307, 308])

/** Throws if a field cannot be sent. */
export function headBytesOf({ status, headers }: Reply): HeadBytes {
  const known = heads.get(headers) ?? null
  for (let head = known; head !== null; head = head.next) if (head.status === status) return head
  const head = { status, ...buildHead(status, headers), next: known }
  if (!builtPerAnswer.has(status)) heads.set(headers, head)
  return head
}

/** What would let a header end early (RFC 9110, 5.5), or does not fit in a byte. */
const unsendable = /[^\t -~\x80-\xff]/

function buildHead(status: number, headers: readonly string[]): Pick<HeadBytes, 'bytes' | 'closes'> {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  let closes = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    if (unsendable.test(value)) throw new Error(`The value of ${name} cannot be sent`)
    if (name.toLowerCase() === 'connection') closes ||= value === 'close'
    else text += `${name}: ${value}\r\n`
  }
  return { bytes: Buffer.from(text, 'latin1'), closes }
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
