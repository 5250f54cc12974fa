import type { Context } from './context.ts'
import type { globalOptions, Options, Values } from './options.ts'

/** What a command found or did, for programs and for people. */
export interface Outcome {
  /** Printed with `--json`. */
  document: unknown
  /** Printed on standard output otherwise. */
  text: string
  /** Why the result is not what was hoped for: told after it, and the exit code says so. */
  failure?: unknown
}

export interface CommandSpec<O extends Options> {
  name: string
  /** One line for the list of commands. */
  summary: string
  /** One line for each way to write it, without `masthead`. */
  usage: readonly string[]
  /** Paragraphs below the summary in its own help. */
  about?: readonly string[]
  options: O
  examples: readonly (readonly [command: string, what: string])[]
  /** How many words it takes beside its name. */
  words: number
  /** Folders whose project file counts before that of the current one. */
  looksIn?(words: readonly string[]): readonly string[]
  run(context: Context, values: Values<O & typeof globalOptions>, words: readonly string[]): Promise<Outcome>
}

export type ParsedValues = Readonly<Record<string, string | boolean | string[]>>

/** Any command, as the code that parses, explains and runs them sees it. */
export interface Command extends Omit<CommandSpec<Options>, 'run'> {
  run(context: Context, values: ParsedValues, words: readonly string[]): Promise<Outcome>
}

/** Gives `run` the types of the options declared beside it. */
export function command<const O extends Options>(spec: CommandSpec<O>): Command {
  return spec as unknown as Command
}
