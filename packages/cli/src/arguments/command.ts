import type { CommandContext } from '../context.ts'
import { usageError } from '../errors/command-error.ts'

/** An option as data: parsing and help both read it. */
export interface Option {
  type: 'boolean' | 'string'
  short?: string
  multiple?: boolean
  /** Whether an empty value means something. */
  mayBeEmpty?: boolean
  /** Placeholder of the value in the help, e.g. `URL`. */
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
  /** Printed with `--json`, unless undefined. */
  document: unknown
  /** Printed on standard output otherwise. */
  text: string
  /** Printed after the result; sets the exit code. */
  failure?: unknown
}

export interface CommandSpec<O extends Options> {
  name: string
  /** One line for the list of commands. */
  summary: string
  /** One line per form, without `masthead`. */
  usage: readonly string[]
  /** Paragraphs below the summary in its own help. */
  about?: readonly string[]
  options: O
  examples: readonly (readonly [command: string, what: string])[]
  /** The maximum number of arguments after the name. */
  words: number
  /** Elsewhere an empty argument is an error. */
  takesEmptyWords?: boolean
  /** Folders whose project file takes precedence over the one of the current folder. */
  looksIn?(words: readonly string[]): readonly string[]
  /** The server among the arguments; `--server` takes precedence. */
  serverIn?(words: readonly string[]): string | undefined
  /** Whether it runs beside a project file that cannot be read, also if the server could be named there. */
  ignoresBrokenFile?: true
  run(
    context: CommandContext,
    values: Values<O & typeof globalOptions>,
    words: readonly string[],
  ): Promise<CommandResult>
}

export type ParsedValues = Readonly<Record<string, string | boolean | string[]>>

/** A command without the types of its options. */
export interface Command extends Omit<CommandSpec<Options>, 'run'> {
  run(context: CommandContext, values: ParsedValues, words: readonly string[]): Promise<CommandResult>
}

/** Types the values passed to `run` by the declared options. */
export function command<const O extends Options>(spec: CommandSpec<O>): Command {
  return spec as unknown as Command
}

/** The arguments and options of a verb of a command. */
export interface Verb {
  /** Placeholders of its arguments: `[TO]` is optional, `VALUE…` may be repeated. */
  takes: readonly string[]
  /** The options of the command that apply to this verb. */
  options?: readonly string[]
}

export interface Invocation {
  /** `domains add`. */
  name: string
  words: readonly string[]
  values: Readonly<Record<string, unknown>>
}

/** Rejects missing and unexpected arguments, and options of other verbs. */
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
