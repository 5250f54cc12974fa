import type { CommandContext } from '../context.ts'
import { usageError } from '../errors/command-error.ts'

/** An option as data: parsing and help both read it. */
export interface Option {
  type: 'boolean' | 'string'
  short?: string
  multiple?: boolean
  /** What stands for the value in the help, e.g. `URL`. */
  value?: string
  help: string
}

export type Options = Readonly<Record<string, Option>>

type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K] extends { type: 'boolean' }
    ? boolean
    : O[K] extends { multiple: true }
      ? string[]
      : string
}

/** Options that every command takes. */
export const globalOptions = {
  project: {
    type: 'string',
    short: 'p',
    value: 'SLUG',
    help: 'project to use instead of the one in masthead.json or masthead.yaml',
  },
  server: {
    type: 'string',
    value: 'URL',
    help: 'server to use instead of MASTHEAD_SERVER or the last one used',
  },
  json: { type: 'boolean', help: 'print one JSON document' },
  quiet: { type: 'boolean', short: 'q', help: 'print only the result' },
  yes: { type: 'boolean', short: 'y', help: 'answer yes to every question' },
  help: { type: 'boolean', short: 'h', help: 'show help' },
  version: { type: 'boolean', short: 'V', help: 'show the version' },
} as const satisfies Options

/** What a command found or did, for programs and for people. */
export interface CommandResult {
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
  run(
    context: CommandContext,
    values: Values<O & typeof globalOptions>,
    words: readonly string[],
  ): Promise<CommandResult>
}

export type ParsedValues = Readonly<Record<string, string | boolean | string[]>>

/** Any command, as the code that parses, explains and runs them sees it. */
export interface Command extends Omit<CommandSpec<Options>, 'run'> {
  run(context: CommandContext, values: ParsedValues, words: readonly string[]): Promise<CommandResult>
}

/** Gives `run` the types of the options declared beside it. */
export function command<const O extends Options>(spec: CommandSpec<O>): Command {
  return spec as unknown as Command
}

/** What may stand behind a verb of a command. */
export interface Verb {
  /** What stands for each word in the help; one in brackets may be left out, one that ends with … may be several. */
  takes: readonly string[]
  /** Those of the command that it takes. */
  options?: readonly string[]
}

export interface Invocation {
  /** `domains add`. */
  name: string
  words: readonly string[]
  values: Readonly<Record<string, unknown>>
}

/** Refuses words and options that the verb does not take, rather than leave them unheard. */
export function assertUsage({ takes, options = [] }: Verb, written: Invocation, known: Options): void {
  const { name, words, values } = written
  const [command = ''] = name.split(' ')
  const needed = takes.filter((word) => !word.startsWith('['))
  const form = ['masthead', name, ...takes].join(' ')
  const missing = needed[words.length]
  if (missing !== undefined) throw usageError(`${missing.replace('…', '')} is missing.`, `Use \`${form}\`.`)
  const extra = takes.at(-1)?.endsWith('…') ? undefined : words[takes.length]
  if (extra !== undefined) throw usageError(`Unexpected argument "${extra}".`, `Use \`${form}\`.`)
  for (const option of Object.keys(known)) {
    if (values[option] === undefined || options.includes(option)) continue
    throw usageError(`\`masthead ${name}\` has no option --${option}.`, `See \`masthead ${command} --help\`.`)
  }
}
