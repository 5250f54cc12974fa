import { parseArgs } from 'node:util'
import { closestMatch } from '@masthead/contract/text/closest-match.ts'
import { usageError } from '../errors/command-error.ts'
import { type Command, globalOptions, type Option, type Options, type ParsedValues } from './command.ts'

export interface Parsed {
  /** Null if none was given. */
  command: Command | null
  values: ParsedValues
  words: readonly string[]
}

/** Throws a usage error with a suggestion for anything invalid. */
export function parseArguments(argv: readonly string[], commands: readonly Command[]): Parsed {
  // The options of all commands, because options may come before the command: `--scope read keys`.
  const known: Options = Object.assign({}, ...commands.map((command) => command.options), globalOptions)
  const { tokens } = parseArgs({ args: [...argv], options: known, strict: false, tokens: true })
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const [name, ...words] = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const command = name ? findCommand(name, commands) : null
  if (positionals.includes('') && !command?.takesEmptyWords) throw emptyArgument(command)
  const allowed: Options = { ...globalOptions, ...command?.options }

  const values: Record<string, string | boolean | string[]> = {}
  if (positionals[0] === 'help') values.help = true
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = findOption(token.name, allowed)
    if (option === undefined) throw unknownOption(token.rawName, allowed, command)
    assertValue(token, option, allowed)
    values[token.name] = readValue(token, option, values[token.name])
  }
  const extra = values.help ? undefined : words[command?.words ?? 0]
  if (extra !== undefined) {
    throw usageError(`Unexpected argument "${extra}".`, helpOn(command))
  }
  return { command, values, words }
}

interface OptionToken {
  name: string
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function assertValue(token: OptionToken, option: Option, allowed: Options): void {
  const { name, rawName, value, inlineValue } = token
  if (option.type === 'boolean') {
    if (value === undefined) return
    throw usageError(`${rawName} does not take a value.`, `Use ${rawName} on its own.`)
  }
  const { value: placeholder = 'VALUE', mayBeEmpty } = option
  const form = `Use ${rawName} ${placeholder}`
  if (value === undefined || (value === '' && !mayBeEmpty)) {
    throw usageError(`${rawName} needs a value.`, `${form}.`)
  }
  if (!inlineValue && isOption(value, allowed)) {
    const fix = `${form}, or --${name}=${placeholder} if the value starts with a dash.`
    throw usageError(`${rawName} needs a value, and ${value} is an option.`, fix)
  }
}

function readValue({ value = '' }: OptionToken, option: Option, earlier: unknown) {
  if (option.type === 'boolean') return true
  return option.multiple ? [...((earlier as string[] | undefined) ?? []), value] : value
}

/** Whether a word would be read as one or more of these options. */
function isOption(word: string, allowed: Options): boolean {
  if (word.startsWith('--')) {
    const [name = ''] = word.slice(2).split('=')
    return name === '' || findOption(name, allowed) !== undefined
  }
  if (!word.startsWith('-') || word === '-') return false
  const byLetter = (letter: string) => Object.values(allowed).find(({ short }) => short === letter)
  // What follows a letter that takes a value is its value.
  for (const letter of word.slice(1)) {
    const option = byLetter(letter)
    if (option === undefined) return false
    if (option.type === 'string') return true
  }
  return true
}

function findOption(name: string, allowed: Options): Option | undefined {
  return Object.hasOwn(allowed, name) ? allowed[name] : undefined
}

/** An empty folder or server would mean the current one, which nobody has named. */
function emptyArgument(command: Command | null) {
  const place = command ? `\`masthead ${command.name}\`` : 'masthead'
  return usageError(
    `An argument of ${place} is empty.`,
    'Check the variables in it: one of them may be empty.',
  )
}

function findCommand(name: string, commands: readonly Command[]): Command {
  const found = commands.find((command) => command.name === name)
  if (found) return found
  const meant = closestMatch(name, [...commands.map((command) => command.name), 'help'])
  throw usageError(
    `Unknown command "${name}".`,
    meant ? `Did you mean \`masthead ${meant}\`?` : 'See `masthead --help`.',
  )
}

function unknownOption(rawName: string, allowed: Options, command: Command | null) {
  const meant = closestMatch(rawName.replace(/^-+/, ''), Object.keys(allowed))
  const place = command ? `\`masthead ${command.name}\`` : 'masthead'
  return usageError(
    `${place} has no option ${rawName}.`,
    meant ? `Did you mean --${meant}?` : helpOn(command),
  )
}

function helpOn(command: Command | null): string {
  return command ? `See \`masthead ${command.name} --help\`.` : 'See `masthead --help`.'
}
