/** SQLSTATEs of a server that is starting, shutting down or out of connections. */
const sqlStates = /^(08...|57P0[123]|53300)$/
const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
const driverMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered)/

/** The connection is open, but nothing comes back on it. */
export class DatabaseTimeoutError extends Error {
  override readonly name = 'DatabaseTimeoutError'

  constructor(milliseconds: number) {
    super(`PostgreSQL has not answered for ${milliseconds} ms`)
  }
}

const fromConnections = new WeakSet<Error>()

/** Remembers that the error is one of a connection to the database: anywhere else, a reset may be a client's. */
export function ofConnection(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && socketErrors.has(String(error.code))) {
    fromConnections.add(error)
  }
  return error
}

/** True if the database is unreachable, as opposed to a faulty query. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isDatabaseFailure(error)) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  return (
    'code' in error &&
    socketErrors.has(String(error.code)) &&
    'syscall' in error &&
    error.syscall === 'connect'
  )
}

/** The same, but not for a failed connection to anything else, such as a mail server. */
export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  const isKnown = error instanceof DatabaseTimeoutError || fromConnections.has(error)
  return (
    isKnown || sqlStates.test(code) || driverMessages.test(error.message) || isDatabaseFailure(error.cause)
  )
}

const sqliteFull = 13
const postgresDiskFull = '53100'

/** True if the disk of the database or of the files is full. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // The low byte of SQLite's extended codes is the primary code.
  const full = typeof errcode === 'number' && (errcode & 0xff) === sqliteFull
  return full || code === postgresDiskFull || code === 'ENOSPC' || code === 'EDQUOT'
}
