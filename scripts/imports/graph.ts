import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { dependenciesOf, listFiles, readManifest } from '../repository.ts'
import { type Import, importsOf } from './source.ts'

/** An import between two files of this repository; the file at `to` may be missing. */
export interface Edge extends Import {
  from: string
  to: string
}

/** An import of another package, by the name that package.json must list. */
export interface OutsideImport extends Import {
  from: string
  name: string
}

export interface Workspace {
  folder: string
  name: string
  declared: ReadonlySet<string>
  exportsSource: string
}

export interface ImportGraph {
  files: readonly string[]
  workspaces: readonly Workspace[]
  edges: readonly Edge[]
  outside: readonly OutsideImport[]
  exists(file: string): boolean
}

export function readImportGraph(root: string): ImportGraph {
  const workspaces = readWorkspaces(root)
  const folders = ['packages', 'testing', 'journeys', 'bench', 'scripts']
  const files = listFiles(
    root,
    folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
  )
  const edges: Edge[] = []
  const outside: OutsideImport[] = []
  for (const from of files) {
    for (const found of importsOf(readFileSync(join(root, from), 'utf8'))) {
      const { specifier } = found
      if (specifier.startsWith('node:')) continue
      const to = resolve(from, specifier, workspaces)
      if (to !== undefined) edges.push({ ...found, from, to })
      if (!isRelative(specifier)) outside.push({ ...found, from, name: packageName(specifier) })
    }
  }
  return { files, workspaces, edges, outside, exists: (file) => existsSync(join(root, file)) }
}

/** The root package comes last: it owns the files of no other package. */
function readWorkspaces(root: string): Workspace[] {
  const manifests = listFiles(root, ['package.json', '{packages/*,*}/package.json'])
  const workspaces = manifests.map((path) => {
    const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path)
    const manifest = readManifest(root, folder)
    const source = (manifest as { exports?: Record<string, string> }).exports?.['./*'] ?? './*'
    return {
      folder,
      name: manifest.name,
      declared: new Set(dependenciesOf(manifest)),
      exportsSource: posix.join(folder, source),
    }
  })
  const names = workspaces.map(({ name }) => name)
  return workspaces
    .map((one) => (one.folder === '' ? { ...one, declared: one.declared.union(new Set(names)) } : one))
    .sort((a, b) => b.folder.length - a.folder.length)
}

function resolve(from: string, specifier: string, workspaces: readonly Workspace[]): string | undefined {
  if (isRelative(specifier)) return posix.join(posix.dirname(from), specifier).replace(/\?.*$/, '')
  const owner = workspaces.find(({ name }) => specifier.startsWith(`${name}/`))
  return owner?.exportsSource.replace('*', specifier.slice(owner.name.length + 1))
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('./') || specifier.startsWith('../')
}

/** `@scope/name/file` → `@scope/name`, `name/file` → `name`. */
function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Each cycle as its files in order, with the first one repeated at the end. */
export function findCycles(edges: readonly { from: string; to: string }[]): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from)
  const finished = new Set<string>()
  const cycles: string[][] = []

  const walk = (file: string, path: string[]) => {
    const start = path.indexOf(file)
    if (start >= 0) cycles.push([...path.slice(start), file])
    if (start >= 0 || finished.has(file)) return
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file])
    finished.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return cycles
}
