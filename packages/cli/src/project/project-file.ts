import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ProjectFileMembers } from '@masthead/contract/project-file.ts'

/** masthead.json or masthead.yaml: which project a folder belongs to, and what is served where. */
export interface ProjectFile {
  directory: string
  /** Of the file itself, such as `masthead.yaml`. */
  fileName: string
  /** As the person would write it from where they are. */
  name: string
  members: ProjectFileMembers
  /** The line of a member, or of the nearest that holds it, such as `domains.redirects.0.to`. */
  lineOf(path: MemberPath): number
}

export type MemberPath = readonly (string | number)[]

const pathOf = ({ directory, fileName }: Pick<ProjectFile, 'directory' | 'fileName'>): string =>
  join(directory, fileName)

/** The folder that the file in `directory` names. */
export function namedFolder(directory: string, file: ProjectFile | null): string {
  return resolve(directory, file?.members.folder ?? '.')
}

/** What stands at a path inside objects and lists; undefined where it leads nowhere. */
export function valueAt(whole: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    whole,
  )
}

/** What `masthead init` decides. */
export interface ProjectFileChange {
  project: string
  folder: string
  /** Left out for the one on this machine. */
  server: string | undefined
}

/** Writes it into the file; what else stands there, comments of YAML included, stays. */
export async function writeProjectFile(
  file: Pick<ProjectFile, 'directory' | 'fileName'>,
  tie: ProjectFileChange,
): Promise<void> {
  const path = pathOf(file)
  const text = await readFile(path, 'utf8').catch(() => '{}')
  await writeFile(path, file.fileName.endsWith('.json') ? updateJson(text, tie) : await updateYaml(text, tie))
}

function updateJson(text: string, tie: ProjectFileChange): string {
  return `${JSON.stringify({ ...JSON.parse(text), ...tie }, null, 2)}\n`
}

async function updateYaml(text: string, tie: ProjectFileChange): Promise<string> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  for (const [name, value] of Object.entries(tie)) {
    if (value === undefined) document.delete(name)
    else document.set(name, value)
  }
  return document.toString()
}
