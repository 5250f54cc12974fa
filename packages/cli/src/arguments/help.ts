import { exitCodes } from '../errors/command-error.ts'
import { alignColumns } from '../terminal/layout.ts'
import { type Command, globalOptions, type Options } from './command.ts'

/** `heading` formats titles. */
export function overview(
  commands: readonly Command[],
  heading: (text: string) => string,
  typed?: string,
): string {
  return [
    'Publish a folder, see it served.',
    section(heading('Usage'), ['masthead <command> [options]']),
    section(heading('Commands'), alignColumns(commands.map(({ name, summary }) => [name, summary]))),
    section(heading('Options'), optionLines(globalOptions)),
    section(heading('Environment'), alignColumns(environment)),
    section(
      heading('Exit codes'),
      alignColumns(Object.values(exitCodes).map((e) => [String(e.code), e.meaning])),
    ),
    'Run `masthead <command> --help` for more about a command.',
    ...typedNote(typed),
  ].join('\n\n')
}

/** `typed` is what the person has to type instead of `masthead`. */
function typedNote(typed = 'masthead'): string[] {
  return typed === 'masthead' ? [] : [`Type \`${typed}\` for \`masthead\`.`]
}

const environment = [
  ['MASTHEAD_SERVER', 'server to use when --server is not given'],
  ['MASTHEAD_KEY', 'API key to use instead of the stored one, for CI'],
  ['NO_COLOR', 'set to anything to turn colors off'],
] as const

export function commandHelp(command: Command, heading: (text: string) => string, typed?: string): string {
  const { summary, about = [], usage, options, examples } = command
  return [
    `${summary}.`,
    ...about,
    section(
      heading('Usage'),
      usage.map((line) => `masthead ${line}`),
    ),
    ...(Object.keys(options).length > 0 ? [section(heading('Options'), optionLines(options))] : []),
    section(heading('Global options'), optionLines(globalOptions)),
    section(heading('Examples'), alignColumns(examples)),
    ...typedNote(typed),
  ].join('\n\n')
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join('\n')
}

function optionLines(options: Options): string[] {
  return alignColumns(
    Object.entries(options).map(([name, { short, value, help }]) => [
      `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`,
      help,
    ]),
  )
}
