/** The names that the edge knows, so that its code can switch on integers. */
export const fieldIds = {
  ':method': 0,
  ':path': 1,
  ':scheme': 2,
  ':authority': 3,
  host: 4,
  accept: 5,
  'accept-encoding': 6,
  'if-match': 7,
  'if-modified-since': 8,
  'if-none-match': 9,
  'if-range': 10,
  'if-unmodified-since': 11,
  range: 12,
  'sec-fetch-dest': 13,
  priority: 14,
  cookie: 15,
  te: 16,
  connection: 17,
  'transfer-encoding': 18,
  'content-length': 19,
  'keep-alive': 20,
  'proxy-connection': 21,
  upgrade: 22,
  expect: 23,
  'accept-language': 24,
  'sec-fetch-mode': 25,
  authorization: 26,
} as const

export const unknownField = -1

export interface HeaderField {
  /** One of `fieldIds`, else `unknownField`. */
  readonly id: number
  readonly name: string
  readonly value: string
  /** As RFC 7541, 4.1 counts it. */
  readonly size: number
  /** False if a request with this field is malformed (RFC 9113, 8.2.1), or if it is an undefined pseudo-header field. */
  readonly isWellFormed: boolean
}

/** In the order in which they were sent. */
export type HeaderFields = readonly HeaderField[]

const idsByName = new Map<string, number>(Object.entries(fieldIds))
const goodName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const badValue = /[\0\r\n]|^[ \t]|[ \t]$/
/** Bytes past ASCII are UTF-8 that was not escaped, which is understood. The asterisk is for OPTIONS. */
const goodPath = /^(?:\/[!-~\x80-\xff]*|\*)$/

/** A field is created once, when it arrives as a literal; the dynamic table and every later request share it. */
export function createField(name: string, value: string): HeaderField {
  return toField(idsByName.get(name) ?? unknownField, name, value)
}

/** Another field of the same name, which need not be looked up again. */
export function withValue({ id, name }: HeaderField, value: string): HeaderField {
  return toField(id, name, value)
}

function toField(id: number, name: string, value: string): HeaderField {
  return {
    id,
    name,
    value,
    size: name.length + value.length + 32,
    isWellFormed:
      id === fieldIds[':path']
        ? goodPath.test(value)
        : (id !== unknownField || goodName.test(name)) && !badValue.test(value),
  }
}
