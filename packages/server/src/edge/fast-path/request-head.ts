import type { RequestHeaders } from '../assets/respond.ts'

/** What a published site needs of a request. */
export interface RequestHead {
  readonly method: 'GET' | 'HEAD'
  readonly target: string
  readonly host: string
  readonly keepAlive: boolean
  readonly headers: RequestHeaders
}

/** Half of node:http's limit, so that the two limits never have to match exactly. */
const longestHead = 8 * 1024
const maxFields = 100

const requestLine = /(GET|HEAD) (\/[!-"$-~]*) HTTP\/1\.1\r\n/y
const field = /([!#$%&'*+.^_`|~0-9A-Za-z-]+): *((?:[ -~]*[!-~])?)\r\n/y

/**
 * Parses only unambiguous requests. Null leaves the decision to node:http. `text` is one head with its empty line, one
 * character per byte.
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

/** Null if a field is doubtful, announces a body or another protocol, or is duplicated where that matters. */
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
    if (match === null || count === maxFields) return null
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
