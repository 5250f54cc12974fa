/** A header block that cannot be decoded. Both sides' tables may now differ, so the connection must end (RFC 7541, 2.2). */
export class HpackError extends Error {
  override name = 'HpackError'
}
