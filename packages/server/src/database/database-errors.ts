import { TimeoutError, withTimeout } from '../kernel/with-timeout.ts'

/**
 * SQLSTATEs of a server that is starting, shutting down or out of connections, no longer lets us in, has lost the
 * database, or is read-only, as one that waits to take over is.
 */
const sqlStates = /^(08...|25006|28...|3D000|53300|57P0[1-5])$/
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
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered|Query read timeout)/

/** The connection is open, but nothing comes back on it. */
export class DatabaseTimeoutError extends Error {
  override readonly name = 'DatabaseTimeoutError'

  constructor(milliseconds: number) {
    super(`PostgreSQL has not answered for ${milliseconds} ms`)
  }
}

/** PostgreSQL answers, but not to this statement. */
class StatementCancelledError extends Error {
  override readonly name = 'StatementCancelledError'

  constructor(cause: Error) {
    super(
      'PostgreSQL cancelled a statement that took too long: it waited for a lock, or was slow. pg_stat_activity shows ' +
        'what holds locks',
      { cause },
    )
  }
}

const queryCanceled = '57014'

/** Explains a statement that PostgreSQL cancelled, by its `statement_timeout` or because an operator told it to. */
export function ofStatement(error: unknown): unknown {
  const isCancelled = error instanceof Error && 'code' in error && error.code === queryCanceled
  return isCancelled ? new StatementCancelledError(error) : error
}

/** It answers, but changes nothing: a replica, or a server that was set so. */
export class DatabaseReadOnlyError extends Error {
  override readonly name = 'DatabaseReadOnlyError'
  readonly code = '25006'

  constructor() {
    super('PostgreSQL is read-only')
  }
}

const fromConnections = new WeakSet<Error>()

/** Remembers that no connection could be opened: a refused certificate has a code of its own. */
export function ofConnecting(error: unknown): unknown {
  if (error instanceof Error) fromConnections.add(error)
  return error
}

/** Remembers that the error is one of a connection to the database: anywhere else, a reset may be a client's. */
export function ofConnection(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && socketErrors.has(String(error.code))) {
    fromConnections.add(error)
  }
  return error
}

/**
 * As `withTimeout`, for work that waits for the database, and maybe for more. If it takes too long while the database is
 * down, the log counts it among the failures of the outage.
 */
export function withDatabaseTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return withTimeout(work, milliseconds).catch((error: unknown) => {
    if (error instanceof TimeoutError) fromConnections.add(error)
    throw error
  })
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
  const isTimeout = error instanceof DatabaseTimeoutError || error instanceof StatementCancelledError
  const isKnown = isTimeout || fromConnections.has(error)
  return (
    isKnown || sqlStates.test(code) || driverMessages.test(error.message) || isDatabaseFailure(error.cause)
  )
}

/** What Node.js and OpenSSL report of certificates and handshakes. */
const tlsCodes = /^(?:CERT_|DEPTH_ZERO_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_)/

/** What to change if PostgreSQL could not be reached over TLS. */
export function tlsAdvice(error: unknown): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  // As the driver says it, without a code.
  if (message.startsWith('The server does not support SSL'))
    return 'Turn on TLS in PostgreSQL, or remove sslmode from DATABASE_URL.'
  if (!tlsCodes.test(code)) return undefined
  return 'If you trust its CA, add sslmode=verify-full and sslrootcert=FILE to DATABASE_URL, with the file of the CA.'
}

const conflicts = new Set(['40001', '40P01'])

/** True if PostgreSQL gave up the transaction in favour of another one: a deadlock, or one that cannot be serialized. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && conflicts.has(String(error.code))
}

const sqliteFull = 13
const postgresDiskFull = '53100'

/** True if the disk of the database or of the files is full. */
export function isStorageFull(error: unknown): boolean {
  const { code, errcode } = codesOf(error)
  return errcode === sqliteFull || code === postgresDiskFull || code === 'ENOSPC' || code === 'EDQUOT'
}

/** SQLite's codes for a file that is read-only, fails to be read or written, or cannot be opened. */
const sqliteDiskErrors: readonly unknown[] = [8, 10, 14]
const postgresIoError = '58030'
const fileErrors: readonly unknown[] = ['EROFS', 'EIO', 'EFBIG', postgresIoError]

/** True if the disk of the database or of the files fails, or is read-only, as a failing one often becomes. */
export function isStorageBroken(error: unknown): boolean {
  const { code, errcode } = codesOf(error)
  return sqliteDiskErrors.includes(errcode) || fileErrors.includes(code)
}

const sqliteDamage: readonly unknown[] = [11, 26]

/** The file of a SQLite database has content that SQLite cannot read. */
export function isDamaged(error: unknown): boolean {
  return sqliteDamage.includes(codesOf(error).errcode)
}

function codesOf(error: unknown): { code?: unknown; errcode?: unknown } {
  if (!(error instanceof Error)) return {}
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // The low byte of SQLite's extended codes is the primary code.
  return { code, errcode: typeof errcode === 'number' ? errcode & 0xff : undefined }
}
