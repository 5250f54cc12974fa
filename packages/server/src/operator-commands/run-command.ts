import { BlobsUnavailableError } from '../blobs/blob-store.ts'
import { AccountKeyError } from '../certificates/acme-account/change-account-key.ts'
import { ConfigError, readConfig } from '../config/config.ts'
import { screenOf } from '../doctor/screen.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { MasterKeyError } from '../secrets/master-key.ts'
import { SealingError } from '../secrets/sealing.ts'
import { explainError } from '../start/errors/explain-error.ts'
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

/** Bugs keep their stack: nobody could find them otherwise. */
function errorText(error: unknown): string {
  if (operatorErrors.some((kind) => error instanceof kind)) return (error as Error).message
  return explainError(error) ?? (error as Error).stack ?? String(error)
}
