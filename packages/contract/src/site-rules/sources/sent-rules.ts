import { parse } from 'smol-toml'
import { readJsonLines, writeOnLines } from './json-lines.ts'

const vercelMembers: ReadonlySet<string> = new Set([
  'redirects',
  'rewrites',
  'headers',
  'cleanUrls',
  'trailingSlash',
])

/**
 * What the command line sends of a file beside the published folder: its rules on their own lines, and of everything
 * else only the name, because it may contain passwords of the build. Null if that cannot be told apart.
 */
export function rulesOnly(file: '/netlify.toml' | '/vercel.json', text: string): string | null {
  try {
    return file === '/vercel.json' ? vercelRules(text) : netlifyRules(text)
  } catch {
    return null
  }
}

function vercelRules(text: string): string | null {
  const { lineOf } = readJsonLines(text)
  const members: unknown = JSON.parse(text)
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return null
  const kept = Object.entries(members).map(([name, value]) => [name, vercelMembers.has(name) ? value : null])
  return writeOnLines(Object.fromEntries(kept), ([name, entry]) =>
    lineOf(String(name), entry === undefined ? undefined : Number(entry)),
  )
}

function netlifyRules(text: string): string | null {
  let isRule = false
  const lines = text.split('\n').map((line) => {
    const table = /^\s*\[\[?\s*["']?([\w-]+)/.exec(line)?.[1]
    if (table !== undefined) isRule = table === 'redirects' || table === 'headers'
    if (isRule) return line
    return table === undefined ? '' : line.replace(/\].*$/, (end) => (end.startsWith(']]') ? ']]' : ']'))
  })
  const kept = lines.join('\n')
  // A text of several lines may look like a table.
  const rulesIn = (toml: string) => {
    const { redirects, headers } = parse(toml, { maxDepth: 20 })
    return JSON.stringify([redirects, headers])
  }
  return rulesIn(kept) === rulesIn(text) ? kept : null
}
