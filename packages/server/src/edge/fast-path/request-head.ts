import type { RequestHeaders } from '../assets/respond.ts'

/** A request as far as a published site cares for it. */
export interface RequestHead {
  readonly method: 'GET' | 'HEAD'
  readonly target: string
  readonly host: string
  readonly keepAlive: boolean
  readonly headers: RequestHeaders
}

/** Half of what node:http takes, so that the limits of the two never have to agree on a byte. */
const longestHead = 8 * 1024
const mostFields = 100

const requestLine = /(GET|HEAD) (\/[!-"$-~]*) HTTP\/1\.1\r\n/y
const field = /([!#$%&'*+.^_`|~0-9A-Za-z-]+): *((?:[ -~]*[!-~])?)\r\n/y

/**
 * Reads a request that cannot be read in two ways, and nothing else: null leaves it to node:http, which decides what
 * it is. `text` is one head with its empty line, one character a byte.
 */
export function readRequestHead(text: string): RequestHead | null {
  if (text.length > longestHead) return null
  requestLine.lastIndex = 0
  const line = requestLine.exec(text)
  if (line === null) return null
  const [, method, target = ''] = line
  const fields = readFields(text, requestLine.lastIndex)
  if (fields === null || fields.host === undefined) return null
  const connection = fields.connection?.toLowerCase() ?? 'keep-alive'
  if (connection !== 'keep-alive' && connection !== 'close') return null
  return {
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    target,
    host: fields.host,
    keepAlive: connection === 'keep-alive',
    headers: fields,
  }
}

interface Fields extends RequestHeaders {
  host: string | undefined
  connection: string | undefined
}

/** Null when a field is doubtful, announces a body or another protocol, or comes twice where once counts. */
function readFields(text: string, start: number): Fields | null {
  const fields: Fields = {
    host: undefined,
    connection: undefined,
    accept: undefined,
    'accept-encoding': undefined,
    'if-match': undefined,
    'if-modified-since': undefined,
    'if-none-match': undefined,
    'if-range': undefined,
    'if-unmodified-since': undefined,
    range: undefined,
    'sec-fetch-dest': undefined,
  }
  const lastLine = text.length - 2
  let at = start
  for (let count = 0; at < lastLine; count++) {
    field.lastIndex = at
    const match = field.exec(text)
    if (match === null || count === mostFields) return null
    at = field.lastIndex
    const name = (match[1] ?? '').toLowerCase()
    switch (name) {
      case 'host':
      case 'connection':
      case 'accept':
      case 'accept-encoding':
      case 'if-match':
      case 'if-modified-since':
      case 'if-none-match':
      case 'if-range':
      case 'if-unmodified-since':
      case 'range':
      case 'sec-fetch-dest':
        if (fields[name] !== undefined) return null
        fields[name] = match[2]
        break
      case 'content-length':
      case 'transfer-encoding':
      case 'trailer':
      case 'expect':
      case 'upgrade':
      case 'proxy-connection':
        return null
    }
  }
  return at === lastLine && text.endsWith('\r\n') ? fields : null
}
