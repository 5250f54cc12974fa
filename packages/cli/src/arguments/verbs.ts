import { closestMatch } from '@masthead/contract/text/closest-match.ts'
import type { CommandContext } from '../context.ts'
import { usageError } from '../errors/command-error.ts'
import { assertUsage, type CommandResult, type Options, type Verb } from './command.ts'

export interface RunVerb<V> extends Verb {
  run(context: CommandContext, words: readonly string[], values: V): Promise<CommandResult>
}

/** The verbs of one command, and its options. */
export interface Verbs<V> {
  command: string
  options: Options
  verbs: Readonly<Record<string, RunVerb<V>>>
}

/** Runs the verb that the first word names; `list` if there is none. */
export async function runVerb<V extends object>(
  { command, options, verbs }: Verbs<V>,
  context: CommandContext,
  values: V,
  [name = 'list', ...words]: readonly string[],
): Promise<CommandResult> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined) {
    const meant = closestMatch(name, Object.keys(verbs))
    throw usageError(
      `There is no \`masthead ${command} ${name}\`.`,
      meant ? `Did you mean \`masthead ${command} ${meant}\`?` : `See \`masthead ${command} --help\`.`,
    )
  }
  assertUsage(
    verb,
    { name: `${command} ${name}`, words, values: values as Readonly<Record<string, unknown>> },
    options,
  )
  return verb.run(context, words, values)
}
