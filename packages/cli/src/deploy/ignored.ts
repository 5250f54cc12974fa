const everywhere = new Set(['node_modules', 'Thumbs.db'])
const atTheRoot = new Set(['masthead.json', 'masthead.yaml'])

/** What lies in a folder without being meant for visitors. */
export function isIgnored(name: string, isAtRoot: boolean): boolean {
  if (name.startsWith('.')) return name !== '.well-known'
  return everywhere.has(name) || (isAtRoot && atTheRoot.has(name))
}
