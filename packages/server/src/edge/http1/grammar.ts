export const [space, tab, cr, lf, colon, slash] = [32, 9, 13, 10, 58, 47] as const

/** What may be in a token (RFC 9110, 5.6.2), in a target and in a value (RFC 9110, 5.5), as a bit for each. */
export const inToken = 1
export const inTarget = 2
export const inValue = 4
const classes = Uint8Array.from({ length: 256 }, (_, code) => {
  const isVisible = code > space && code < 127
  const isObsolete = code >= 128
  const isTokenChar = /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code))
  return (
    (isTokenChar ? inToken : 0) |
    // More than RFC 9112, 3.2 allows, because browsers do not escape all of it: bytes of UTF-8 as well.
    (isVisible || isObsolete ? inTarget : 0) |
    (isVisible || isObsolete || code === space || code === tab ? inValue : 0)
  )
})

/** Where a run of such bytes ends. */
export function endOf(bytes: Buffer, start: number, end: number, wanted: number): number {
  let at = start
  while (at < end && ((classes[bytes[at] as number] as number) & wanted) !== 0) at++
  return at
}

export function isBlank(code: number | undefined): boolean {
  return code === space || code === tab
}

/** A control character, a line that does not end in CRLF, or a CR in the middle of one (RFC 9112, 2.2). */
const strayByte = /[^\t\n\r -~\x80-\xff]|(?<!\r)\n|\r(?!\n|$)/g

/** Whether an incomplete head can already be refused for a byte at `from` or after it. */
export function hasStrayByte(text: string, from: number): boolean {
  strayByte.lastIndex = from
  return strayByte.test(text)
}
