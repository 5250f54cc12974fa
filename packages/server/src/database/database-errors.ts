/** SQLSTATEs of a server that shuts down or starts, or that has no connection left. */
const sqlStates = /^(08...|57P0[123]|53300)$/
const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
const driverMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered)/

/** A connection that is there, and on which no answer comes. */
export class DatabaseTimeoutError extends Error {
  override readonly name = 'DatabaseTimeoutError'

  constructor(milliseconds: number) {
    super(`PostgreSQL has not answered for ${milliseconds} ms`)
  }
}

/** Whether an error says that the database cannot be reached now, not that the query was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseTimeoutError) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  const code = 'code' in error ? String(error.code) : ''
  const fromSocket = socketErrors.has(code) && 'syscall' in error && error.syscall === 'connect'
  return sqlStates.test(code) || fromSocket || driverMessages.test(error.message)
}

const sqliteFull = 13
const postgresDiskFull = '53100'

/** Whether an error says that no space is left, on the disk of the database or of the files. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // SQLite puts what happened in the low byte of its extended codes.
  const full = typeof errcode === 'number' && (errcode & 0xff) === sqliteFull
  return full || code === postgresDiskFull || code === 'ENOSPC' || code === 'EDQUOT'
}
