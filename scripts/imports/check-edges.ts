import { matchesGlob, posix } from 'node:path'
import { ownFeature, type PrivateRule, privateFiles, server, serverFloors, units } from '../import-rules.ts'
import type { Fault } from '../repository.ts'
import type { Edge, ImportGraph, OutsideImport, Workspace } from './graph.ts'

/** The sentence for each rule that one import breaks. */
export function checkEdge(edge: Edge, exists: ImportGraph['exists']): Fault[] {
  const messages = [
    exists(edge.to) ? undefined : `imports ${edge.specifier}, which does not exist`,
    betweenUnits(edge),
    betweenFloors(edge),
    ...privateFiles.map((rule) => privacy(rule, edge)),
  ]
  return messages
    .filter((message) => message !== undefined)
    .map((message) => ({ file: edge.from, line: edge.line, message }))
}

/** A bare import must be declared by the package that the file belongs to. */
export function checkPackageImport(found: OutsideImport, workspaces: readonly Workspace[]): Fault[] {
  const owner = workspaces.find(({ folder }) => folder === '' || found.from.startsWith(`${folder}/`))
  const itself = owner?.name === found.name
  if (owner === undefined || itself || owner.declared.has(found.name)) return []
  if (found.typeOnly && owner.declared.has(typesPackage(found.name))) return []
  const manifest = posix.join(owner.folder, 'package.json')
  return [
    { file: found.from, line: found.line, message: `imports ${found.name}, which ${manifest} does not list` },
  ]
}

/** Every folder of the server has its floor, or nothing could be said about its imports. */
export function checkFolders(files: readonly string[]): Fault[] {
  const unplaced = files.filter((file) => serverFloor(file)?.floor === -1)
  const firstOfEach = Map.groupBy(unplaced, (file) => posix.join(server, serverFloor(file)?.name ?? ''))
  return [...firstOfEach].map(([folder, [file = '']]) => ({
    file,
    line: 1,
    message: `${folder} has no floor in scripts/import-rules.ts`,
  }))
}

/** Tests, and the kits that only tests import. */
export function isTest(file: string): boolean {
  return /\.test(-kit)?\.tsx?$/.test(file) || /^packages\/[^/]+\/test\//.test(file)
}

function betweenUnits({ from, to, specifier }: Edge): string | undefined {
  const unit = units.find(({ folder }) => from.startsWith(`${folder}/`))
  const target = units.find(({ folder }) => to.startsWith(`${folder}/`))
  if (unit === undefined) return `has no rule in scripts/import-rules.ts`
  if (target === undefined || target === unit) return undefined
  if (specifier.startsWith('.')) return `reaches ${to} by a relative path; import it by its package's name`
  const allowed = isTest(from) ? [...unit.mayImport, ...unit.testsMayImport] : unit.mayImport
  return allowed.includes(target.folder) ? undefined : `imports ${target.folder}: ${unit.why}`
}

/** Tests may set their scene with what is above them. */
function betweenFloors({ from, to }: Edge): string | undefined {
  if (isTest(from)) return undefined
  const [importer, imported] = [serverFloor(from), serverFloor(to)]
  if (importer === undefined || imported === undefined || importer.name === imported.name) return undefined
  if (importer.floor === -1 || imported.floor === -1) return undefined
  if (imported.floor < importer.floor) return `${importer.name} imports ${imported.name}, which is above it`
  const neighbours = imported.floor === importer.floor && imported.floor < serverFloors.length
  return neighbours ? `${importer.name} imports ${imported.name}, its neighbour on the same floor` : undefined
}

/** The folder or root file under packages/server/src, and its floor: 0 on top, -1 where the table is silent. */
function serverFloor(file: string): { name: string; floor: number } | undefined {
  if (!file.startsWith(`${server}/`)) return undefined
  const [name = '', ...rest] = file.slice(server.length + 1).split('/')
  const floor = serverFloors.findIndex((names) => names.includes(name))
  const isRootFile = rest.length === 0
  return { name, floor: floor === -1 && isRootFile ? serverFloors.length : floor }
}

function privacy(rule: PrivateRule, { from, to, typeOnly }: Edge): string | undefined {
  const matches = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob))
  if (!matches(to, rule.files) || matches(to, rule.except ?? [])) return undefined
  if (rule.from !== undefined && !matches(from, rule.from)) return undefined
  if ((typeOnly && rule.typesPass) || (isTest(from) && rule.testsPass)) return undefined
  const open = rule.openTo.some((place) =>
    place === ownFeature ? serverFloor(from)?.name === serverFloor(to)?.name : matchesGlob(from, place),
  )
  return open ? undefined : `may not import ${to}: ${rule.why}`
}

function typesPackage(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`
}
