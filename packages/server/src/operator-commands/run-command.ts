import { BlobsUnavailableError } from '../blobs/blob-store.ts'
import { AccountKeyError } from '../certificates/acme-account/change-account-key.ts'
import { ConfigError, readConfig } from '../config/config.ts'
import { screenOf } from '../doctor/screen.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { MasterKeyError } from '../secrets/master-key.ts'
import { SealingError } from '../secrets/sealing.ts'
import { type OperatorCommand, UsageError } from './operator-command.ts'
import { showProgress } from './progress.ts'

/** Their messages are for the operator, without a stack. */
const operatorErrors = [
  OperatorError,
  BlobsUnavailableError,
  AccountKeyError,
  ConfigError,
  MasterKeyError,
  SealingError,
]

export const exitCodes = { done: 0, failed: 1, misused: 2 } as const

export interface ProcessIo {
  stdout: { write(text: string): unknown; isTTY?: boolean; columns?: number }
  stderr: { write(text: string): unknown; isTTY?: boolean; columns?: number }
  env: Record<string, string | undefined>
}

/** Runs a command and returns its exit code. */
export async function runCommand(
  command: OperatorCommand,
  args: readonly string[],
  { stdout, stderr, env }: ProcessIo,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    stdout.write(command.usage)
    return exitCodes.done
  }
  try {
    return await command.run(args, {
      settings: (changes = {}) => readConfig({ ...env, ...changes }),
      print: (line) => stdout.write(`${line}\n`),
      screen: screenOf(stdout, env),
      progress: showProgress(stderr),
    })
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`${error.message} See: npx masthead-server ${command.name} --help\n`)
      return exitCodes.misused
    }
    stderr.write(`${errorText(error)}\n`)
    return exitCodes.failed
  }
}

/** What systems and PostgreSQL report by code, in words. */
const knownCodes: Record<string, string> = {
  ECONNREFUSED: 'Nothing answers at this address. Check that the server there runs, and its host and port.',
  ENOTFOUND: 'This host name does not exist. Check the address.',
  ETIMEDOUT: 'The server did not answer in time. Check the address, and firewalls between here and there.',
  ENOSPC: 'The disk is full. Free some space and run this again.',
  EACCES: 'Run this as the user that runs Masthead.',
  EROFS: 'The file system is read-only.',
  '28P01': 'Check the user name and password in the address.',
  '28000': 'Check the user name and password in the address.',
  '3D000': 'Create the database first.',
  '42P07': 'The database has tables of another program. Use an empty one.',
  '42501': 'Give the user of the address the right to create tables in the database.',
}

/** Bugs keep their stack: nobody could find them otherwise. */
function errorText(error: unknown): string {
  if (operatorErrors.some((kind) => error instanceof kind)) return (error as Error).message
  const { code, message, stack } = error as NodeJS.ErrnoException
  const advice = code === undefined ? undefined : knownCodes[code]
  if (advice !== undefined) return `${message || code}. ${advice}`
  return stack ?? String(error)
}
