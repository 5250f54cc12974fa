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
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent'

  constructor(milliseconds: number) {
    super(`PostgreSQL has not answered for ${milliseconds} ms`)
  }
}

/** Whether an error says that the database cannot be reached now, not that the query was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseSilent) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway)
  const code = 'code' in error ? String(error.code) : ''
  const fromSocket = socketErrors.has(code) && 'syscall' in error && error.syscall === 'connect'
  return sqlStates.test(code) || fromSocket || driverMessages.test(error.message)
}
