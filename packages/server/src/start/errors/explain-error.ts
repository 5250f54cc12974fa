import { isStorageFull, tlsAdvice } from '../../database/database-errors.ts'
import { errorMessage } from '../../kernel/escape-text.ts'

/** What systems and PostgreSQL report by code, in words. */
const knownCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing answers at this address. Check that the server there runs, and its host and port.',
  ENOTFOUND: 'This host name does not exist. Check the address.',
  EAI_AGAIN: 'This host name could not be looked up. Check the address and the DNS of this machine.',
  ETIMEDOUT: 'The server did not answer in time. Check the address, and firewalls between here and there.',
  EHOSTUNREACH: 'This machine cannot reach that one. Check the address and the network.',
  ENETUNREACH: 'This machine cannot reach that one. Check the address and the network.',
  ECONNRESET:
    'The connection was closed. Check that the address is the right one and that the server there runs.',
  EACCES: 'Run this as the user that runs Masthead.',
  EPERM: 'Run this as the user that runs Masthead.',
  EROFS: 'The file system is read-only. Use a folder that can be written to.',
  '25006': 'PostgreSQL is read-only. Use the address of the primary server.',
  '28P01': 'Check the user name and password in the address.',
  '28000': 'Check the user name and password in the address.',
  '3D000': 'Create the database first.',
  '3F000': 'Create the schema first, or remove search_path from the address.',
  '42P07': 'The database has tables of another program. Use an empty one.',
  '42501': 'Give the user of the address the right to create tables in the database.',
  '53300': 'Raise max_connections of PostgreSQL, or end other connections.',
  '57P03': 'PostgreSQL is starting or stopping. Try again when it runs.',
}

/** By the low byte of SQLite's extended codes. */
const sqliteCodes: Readonly<Record<number, string>> = {
  8: 'Give its files to the user that runs Masthead, on a file system that can be written to.',
  10: 'Check the disk.',
  11: 'The file is damaged. Restore a backup.',
  14: 'Give the folder and its files to the user that runs Masthead.',
  26: 'The file is not a database. Restore a backup.',
}

/** One line that says what happened and what to do; null for bugs, which nobody could find without their stack. */
export function explainError(error: unknown): string | null {
  const advice = adviceFor(error)
  return advice === undefined ? null : `${reasonOf(error) || (error as { code?: string }).code}. ${advice}`
}

function adviceFor(error: unknown): string | undefined {
  const { code = '', errcode, syscall } = error as { code?: string; errcode?: number; syscall?: string }
  if (isStorageFull(error)) return 'The disk is full. Free some space and run this again.'
  if (errcode !== undefined) return sqliteCodes[errcode & 0xff]
  if (code === 'ENOENT' && syscall === 'connect')
    return 'Check the path of the socket, and that PostgreSQL runs.'
  return knownCodes[code] ?? tlsAdvice(error)
}

/** Node.js tries each address of a host, and has no message for all of them. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? errorMessage(error).replace(/\.$/, '') : String(error)
}
