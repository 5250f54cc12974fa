import { closestMatch } from '@masthead/contract/text/closest-match.ts'
import type { CommandContext } from '../context.ts'
import { type CommandError, usageError } from '../errors/command-error.ts'
import { assertUsage, type CommandResult, type Options, type Verb } from './command.ts'

export interface RunVerb<V> extends Verb {
  run(context: CommandContext, words: readonly string[], values: V): Promise<CommandResult>
}

/** The verbs of one command, and its options. */
export interface Verbs<V> {
  command: string
  options: Options
  verbs: Readonly<Record<string, RunVerb<V>>>
  /** The verb to run without a word; `list` by default. */
  usual?: string
  /** What to do instead, for a word that resembles no verb. */
  adviceFor?: (word: string) => string | undefined
}

/** Runs the verb that the first word names. */
export async function runVerb<V extends object>(
  { command, options, verbs, usual = 'list', adviceFor }: Verbs<V>,
  context: CommandContext,
  values: V,
  [name = usual, ...words]: readonly string[],
): Promise<CommandResult> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined) throw unknownVerb({ command, verbs }, name, adviceFor?.(name))
  assertUsage(
    verb,
    { name: `${command} ${name}`, words, values: values as Readonly<Record<string, unknown>> },
    options,
  )
  return verb.run(context, words, values)
}

export function unknownVerb(
  { command, verbs }: { command: string; verbs: object },
  word: string,
  advice = `See \`masthead ${command} --help\`.`,
): CommandError {
  const meant = closestMatch(word, Object.keys(verbs))
  return usageError(
    `There is no \`masthead ${command} ${word}\`.`,
    meant ? `Did you mean \`masthead ${command} ${meant}\`?` : advice,
  )
}
