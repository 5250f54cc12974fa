import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { usageError } from './command-error.ts'

/** masthead.json: which project a folder belongs to. Members that are not known are left to other programs. */
export interface ProjectFile {
  project?: string
  /** What to publish, from where the file lies. */
  folder?: string
  server?: string
}

export const projectFileName = 'masthead.json'

export async function readProjectFile(directory: string): Promise<ProjectFile | null> {
  const path = join(directory, projectFileName)
  const text = await readFile(path, 'utf8').catch(absent)
  return text === null ? null : parseProjectFile(text, path)
}

export async function writeProjectFile(directory: string, file: ProjectFile): Promise<void> {
  await writeFile(join(directory, projectFileName), `${JSON.stringify(file, null, 2)}\n`)
}

/** The folder that the file in `directory` names. */
export function namedFolder(directory: string, file: ProjectFile | null): string {
  return resolve(directory, file?.folder ?? '.')
}

export function parseProjectFile(text: string, path: string): ProjectFile {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${path} does not hold a JSON object.`, 'Mend it, or make it anew with `masthead init`.')
  }
  const file: ProjectFile = {}
  for (const name of ['project', 'folder', 'server'] as const) {
    const member: unknown = Reflect.get(value, name)
    if (member === undefined) continue
    if (typeof member !== 'string' || member === '') {
      throw usageError(`"${name}" in ${path} is not a text.`, `Write it like { "${name}": "…" }.`)
    }
    file[name] = member
  }
  return file
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
