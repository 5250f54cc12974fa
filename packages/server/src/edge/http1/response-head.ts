import { STATUS_CODES } from 'node:http'
import type { Reply } from '../assets/reply.ts'
import { httpDate } from '../http-date.ts'

/** The fields of a reply as bytes, without those that differ from answer to answer. */
export interface FieldBytes {
  readonly bytes: Buffer
  /** Whether the reply itself asks for the connection to be closed. */
  readonly closes: boolean
}

/** By the header list, which a file's answers to GET and HEAD and its 404 share. It is one object while the file is cached. */
const known = new WeakMap<readonly string[], FieldBytes>()

/** Built for one answer only, so there is nothing to gain from keeping them. */
const builtPerAnswer = new Set([206, 301, 302, 307, 308])

/** Throws if a field cannot be sent. */
export function fieldBytesOf({ status, headers }: Reply): FieldBytes {
  const before = known.get(headers)
  if (before !== undefined) return before
  const fields = buildFields(headers)
  if (!builtPerAnswer.has(status)) known.set(headers, fields)
  return fields
}

/** What would let a header end early (RFC 9110, 5.5), or does not fit in a byte. */
const unsendable = /[^\t -~\x80-\xff]/

function buildFields(headers: readonly string[]): FieldBytes {
  let text = ''
  let closes = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    if (unsendable.test(value)) throw new Error(`The value of ${name} cannot be sent`)
    if (name.toLowerCase() === 'connection') closes ||= value === 'close'
    else text += `${name}: ${value}\r\n`
  }
  return { bytes: Buffer.from(text, 'latin1'), closes }
}

const statusLines = new Map<number, Buffer>()

export function statusLineOf(status: number): Buffer {
  const before = statusLines.get(status)
  if (before !== undefined) return before
  const line = Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`, 'latin1')
  statusLines.set(status, line)
  return line
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
