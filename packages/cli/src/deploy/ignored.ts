import { projectFileNames } from '../project-file/project-file.ts'

const everywhere = new Set(['node_modules', 'Thumbs.db'])
const atTheRoot: ReadonlySet<string> = new Set(projectFileNames)

/** What lies in a folder without being meant for visitors. */
export function isIgnored(name: string, isAtRoot: boolean): boolean {
  if (name.startsWith('.')) return name !== '.well-known'
  return everywhere.has(name) || (isAtRoot && atTheRoot.has(name))
}
