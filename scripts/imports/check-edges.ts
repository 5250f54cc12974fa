import { matchesGlob, posix } from 'node:path'
import {
  type FloorRule,
  floorRules,
  ownFeature,
  type PrivateRule,
  privateFiles,
  units,
} from '../import-rules.ts'
import type { Fault } from '../repository.ts'
import type { Edge, ImportGraph, OutsideImport, Workspace } from './graph.ts'

/** One message for each rule that an import breaks. */
export function checkEdge(edge: Edge, exists: ImportGraph['exists']): Fault[] {
  const messages = [
    exists(edge.to) ? undefined : `imports ${edge.specifier}, which does not exist`,
    checkUnits(edge),
    ...floorRules.map((rule) => checkFloors(rule, edge)),
    ...privateFiles.map((rule) => checkPrivate(rule, edge)),
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

/** Every part of a folder with floors must be on one of them, or the rule would not cover it. */
export function checkFolders(files: readonly string[]): Fault[] {
  return floorRules.flatMap((rule) => {
    const unplaced = files.filter((file) => !isTest(file) && partOf(rule, file)?.floor === -1)
    const firstOfEach = Map.groupBy(unplaced, (file) =>
      posix.join(rule.folder, partOf(rule, file)?.name ?? ''),
    )
    return [...firstOfEach].map(([part, [file = '']]) => ({
      file,
      line: 1,
      message: `${part} has no floor in scripts/import-rules.ts`,
    }))
  })
}

/** Tests, and the kits that only tests import. */
export function isTest(file: string): boolean {
  return /\.test(-kit)?\.tsx?$/.test(file) || /^packages\/[^/]+\/test\//.test(file)
}

function checkUnits({ from, to, specifier }: Edge): string | undefined {
  const unit = units.find(({ folder }) => from.startsWith(`${folder}/`))
  const target = units.find(({ folder }) => to.startsWith(`${folder}/`))
  if (unit === undefined) return `has no rule in scripts/import-rules.ts`
  if (target === undefined || target === unit) return undefined
  if (specifier.startsWith('.')) return `reaches ${to} by a relative path; import it by its package's name`
  const allowed = isTest(from) ? [...unit.mayImport, ...unit.testsMayImport] : unit.mayImport
  return allowed.includes(target.folder) ? undefined : `imports ${target.folder}: ${unit.why}`
}

function checkFloors(rule: FloorRule, { from, to, typeOnly }: Edge): string | undefined {
  if ((isTest(from) && !rule.testsToo) || (typeOnly && rule.typesPass)) return undefined
  const [importer, imported] = [partOf(rule, from), partOf(rule, to)]
  if (importer === undefined || imported === undefined || importer.part === imported.part) return undefined
  if (importer.floor === -1 || imported.floor === -1 || imported.floor > importer.floor) return undefined
  const where = imported.floor < importer.floor ? 'which is above it' : 'its neighbour on the same floor'
  return `${importer.name} imports ${imported.name}, ${where}`
}

/** What a file belongs to directly below the rule's folder. Floor 0 is the top, -1 is none. */
function partOf(
  { folder, floors }: FloorRule,
  file: string,
): { name: string; part: string; floor: number } | undefined {
  if (!file.startsWith(`${folder}/`)) return undefined
  const [name = '', ...rest] = file.slice(folder.length + 1).split('/')
  const parts = floors.flat()
  const part = parts.find((one) => one.split('|').includes(name)) ?? (rest.length === 0 ? '*' : name)
  return { name, part, floor: floors.findIndex((floor) => floor.includes(part)) }
}

function checkPrivate(rule: PrivateRule, { from, to, typeOnly }: Edge): string | undefined {
  const matches = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob))
  if (!matches(to, rule.files) || matches(to, rule.except ?? [])) return undefined
  if (rule.from !== undefined && !matches(from, rule.from)) return undefined
  if ((typeOnly && rule.typesPass) || (isTest(from) && rule.testsPass)) return undefined
  const open = rule.openTo.some((allowed) =>
    allowed === ownFeature ? featureOf(from) === featureOf(to) : matchesGlob(from, allowed),
  )
  return open ? undefined : `may not import ${to}: ${rule.why}`
}

/** packages/server/src/domains/claims/store.ts → packages/server/src/domains */
function featureOf(file: string): string {
  return file.split('/').slice(0, 4).join('/')
}

function typesPackage(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`
}
