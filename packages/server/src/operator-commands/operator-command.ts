import { parseArgs } from 'node:util'
import type { ProgressReport } from '../backup/progress-report.ts'
import type { Config } from '../config/config.ts'
import type { Screen } from '../doctor/screen.ts'

/** One subcommand of `masthead-server`. */
export interface OperatorCommand {
  name: string
  /** Printed by `--help`. */
  usage: string
  /** Resolves to the exit code. */
  run(args: readonly string[], io: OperatorIo): Promise<number>
}

export interface OperatorIo {
  /** The server's settings. `changes` replaces environment variables. */
  settings(changes?: Record<string, string>): Readonly<Config>
  print(line: string): void
  /** Where `print` prints. */
  screen: Screen
  progress: ProgressReport
}

/** The arguments do not fit the command. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export type CommandOptions = Record<string, { type: 'string' | 'boolean' }>

/** Throws a UsageError for unknown options, and unless there are as many words as `words` names. */
export function readArguments(
  args: readonly string[],
  options: CommandOptions = {},
  words: readonly string[] = [],
): { values: Record<string, string | boolean | undefined>; words: string[] } {
  const { values, positionals } = parse(args, options)
  const missing = words[positionals.length]
  const extra = positionals[words.length]
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`)
  if (extra !== undefined) throw new UsageError(`Unknown argument ${extra}.`)
  return { values, words: positionals }
}

function parse(args: readonly string[], options: CommandOptions) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const { message } = error as Error
    throw new UsageError(`${message.split(/\. |\n/)[0]?.replace(/\.$/, '')}.`)
  }
}
