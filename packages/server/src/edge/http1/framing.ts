export interface FramingFields {
  readonly 'content-length': string | undefined
  readonly 'transfer-encoding': string | undefined
}

/** Whether a request announces a body (RFC 9112, 6). Invalid if two readers could disagree about where it ends. */
export function bodyOf(fields: FramingFields, isVersion11: boolean): 'none' | 'some' | 'invalid' {
  const { 'content-length': length, 'transfer-encoding': codings } = fields
  if (codings !== undefined) {
    const isChunked = /(?:^|[\t ,])chunked$/i.test(codings)
    return length === undefined && isVersion11 && isChunked ? 'some' : 'invalid'
  }
  if (length === undefined) return 'none'
  if (!/^\d+$/.test(length)) return 'invalid'
  return /^0+$/.test(length) ? 'none' : 'some'
}

/** RFC 9112, 9.3. */
export function keepsAlive(connection: string | undefined, isVersion11: boolean): boolean {
  if (connection === undefined) return isVersion11
  if (connection === 'keep-alive') return true
  const options = connection
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
  if (options.includes('close')) return false
  return isVersion11 || options.includes('keep-alive')
}
