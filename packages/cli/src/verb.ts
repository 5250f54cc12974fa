import { usageError } from './command-error.ts'
import type { Options } from './options.ts'

/** What may stand behind a verb of a command. */
export interface Verb {
  /** What stands for each word in the help; one in brackets may be left out, one that ends with … may be several. */
  takes: readonly string[]
  /** Those of the command that it takes. */
  options?: readonly string[]
}

export interface Written {
  /** `domains add`. */
  name: string
  words: readonly string[]
  values: Readonly<Record<string, unknown>>
}

/** Refuses words and options that the verb does not take, rather than leave them unheard. */
export function assertFits({ takes, options = [] }: Verb, written: Written, known: Options): void {
  const { name, words, values } = written
  const [command = ''] = name.split(' ')
  const needed = takes.filter((word) => !word.startsWith('['))
  const form = ['masthead', name, ...takes].join(' ')
  const missing = needed[words.length]
  if (missing !== undefined) throw usageError(`Which ${missing.replace('…', '')}?`, `Write \`${form}\`.`)
  const extra = takes.at(-1)?.endsWith('…') ? undefined : words[takes.length]
  if (extra !== undefined) throw usageError(`"${extra}" is one word too many.`, `Write \`${form}\`.`)
  for (const option of Object.keys(known)) {
    if (values[option] === undefined || options.includes(option)) continue
    throw usageError(`\`masthead ${name}\` has no option --${option}.`, `See \`masthead ${command} --help\`.`)
  }
}
