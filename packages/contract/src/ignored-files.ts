/** What ties a folder to a project. A folder has one of them; the first is written where there is none yet. */
export const projectFileNames = ['masthead.json', 'masthead.yaml', 'masthead.yml'] as const

const everywhere: ReadonlySet<string> = new Set(['node_modules', 'Thumbs.db'])
const atTheRoot: ReadonlySet<string> = new Set(projectFileNames)

/** Whether a file or folder of this name lies in a site without being meant for visitors. */
export function isIgnored(name: string, isAtRoot: boolean): boolean {
  if (name.startsWith('.')) return name !== '.well-known'
  return everywhere.has(name) || (isAtRoot && atTheRoot.has(name))
}
