import { STATUS_CODES } from 'node:http'
import type { Reply } from './response.ts'

/** The head of a response as node:http would write it, with its empty line, one character a byte. */
export function responseHead({ status, headers }: Reply, date: string, keepAlive: boolean): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  return `${head}Date: ${date}\r\nConnection: ${keepAlive ? 'keep-alive' : 'close'}\r\n\r\n`
}
