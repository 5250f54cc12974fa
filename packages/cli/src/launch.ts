import { parseUrl } from './arguments/parse-url.ts'
import { commandNames } from './command-names.ts'

/** How the person started this program. */
export interface Launch {
  /** What to type instead of `masthead`. */
  command: string
  /** The server that the program came from; null if that is unknown. */
  origin: string | null
}

export interface LaunchSources {
  /** Of this program. */
  file: string
  env: NodeJS.ProcessEnv
  /** Throws if there is no such file. */
  readText: (path: string) => string
}

/** npx keeps each package that it runs in a folder of its own, beside a file that says what was typed. */
const npxFolder = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]node_modules[\\/]/

export function describeLaunch({ file, env, readText }: LaunchSources): Launch {
  const folder = npxFolder.exec(file)?.[1]
  const address = folder === undefined ? null : typedAddress(folder, readText)
  if (address !== null) return { command: `npx ${address.href}`, origin: address.origin }
  const byNpm = ['exec', 'run-script'].includes(env.npm_command ?? '')
  return { command: byNpm ? 'npx masthead' : 'masthead', origin: null }
}

function typedAddress(folder: string, readText: (path: string) => string): URL | null {
  try {
    const { _npx } = JSON.parse(readText(`${folder}/package.json`)) as { _npx?: { packages?: unknown[] } }
    const url = parseUrl(String(_npx?.packages?.[0]))
    return url !== null && /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}

const suggestion = new RegExp(`(?<![\\w/.-])masthead (?=(?:${commandNames.join('|')})\\b)`, 'g')

/** The text with its suggested commands as the person has to type them. */
export function asTyped(text: string, { command }: Launch): string {
  return command === 'masthead' ? text : text.replace(suggestion, () => `${command} `)
}
