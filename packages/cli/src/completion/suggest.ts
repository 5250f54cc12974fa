import { type Command, globalOptions, type Options } from '../arguments/command.ts'

/** What a word may be that only the server knows. */
export type Known = 'project' | 'domain'

export interface Suggestions {
  words: string[]
  /** To be completed with names from the server. */
  known: Known | null
  /** To be completed with files and folders by the shell. */
  files: boolean
}

const none: Suggestions = { words: [], known: null, files: false }
/** The commands whose first argument is a project, and verbs of which it is the first argument. */
const takesProject = ['open', 'deployments', 'link', 'projects rename', 'projects delete']
const takesDomain = /^domains (?:show|verify|reverify|remove|timeline|primary|redirect|branch|prove)$/
const takesFolder = ['deploy', 'rules check']

/** Pure: for the words after `masthead`, of which the last is being typed and may be empty. */
export function suggest(typed: readonly string[], commands: readonly Command[]): Suggestions {
  const current = typed.at(-1) ?? ''
  const before = typed.slice(0, -1)
  const words = positionals(before, commands)
  const command = commands.find(({ name }) => name === words[0])
  const options: Options = { ...globalOptions, ...command?.options }
  const option = options[before.at(-1)?.replace(/^--/, '') ?? '']
  if (option?.type === 'string' && before.at(-1)?.startsWith('--')) return suggestValue(before.at(-1) ?? '')
  if (current.startsWith('-'))
    return matching(
      Object.keys(options).map((name) => `--${name}`),
      current,
    )
  if (command === undefined) {
    return words.length > 0 ? none : matching([...commands.map(({ name }) => name), 'help'], current)
  }
  const place = words.join(' ')
  if (takesProject.includes(place)) return { ...matching(verbsOf(command, words), current), known: 'project' }
  if (takesDomain.test(place)) return { ...none, known: 'domain' }
  if (takesFolder.includes(place)) return { ...none, files: true }
  return matching(verbsOf(command, words), current)
}

/** The words that are neither options nor their values. */
function positionals(typed: readonly string[], commands: readonly Command[]): string[] {
  const known: Options = Object.assign({}, ...commands.map(({ options }) => options), globalOptions)
  const takesValue = (word: string | undefined) =>
    word === '-p' || (word?.startsWith('--') === true && known[word.slice(2)]?.type === 'string')
  return typed.filter((word, index) => !word.startsWith('-') && !takesValue(typed[index - 1]))
}

function suggestValue(option: string): Suggestions {
  if (option === '--project') return { ...none, known: 'project' }
  return { ...none, files: ['--folder', '--output', '--input'].includes(option) }
}

function verbsOf({ usage }: Command, words: readonly string[]): string[] {
  if (words.length !== 1) return []
  const verbs = usage.map((line) => line.split(' ')[1] ?? '')
  return [...new Set(verbs.filter((word) => /^[a-z]+$/.test(word)))]
}

function matching(words: readonly string[], current: string): Suggestions {
  return { ...none, words: words.filter((word) => word.startsWith(current)) }
}
