import { randomUUID } from 'node:crypto'
import { access, chmod, constants, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { MemberPath } from '@masthead/contract/project-file/member-path.ts'
import type { ProjectFileMembers } from '@masthead/contract/project-file.ts'
import { decodeText } from '@masthead/contract/text/decode-text.ts'
import { CommandError } from '../errors/command-error.ts'
import { isOutOfSpace } from '../errors/out-of-space.ts'

/** A parsed masthead.json or masthead.yaml. */
export interface ProjectFile {
  directory: string
  /** Such as `masthead.yaml`. */
  fileName: string
  /** The path relative to the current folder. */
  name: string
  members: ProjectFileMembers
  /** The line of a setting such as `domains.redirects.0.to`, or of its closest parent. */
  lineOf(path: MemberPath): number
}

/** The file is neither JSON nor YAML, so that nothing of it can be kept. */
export class UnparseableError extends CommandError {
  readonly file: string

  constructor(file: string, message: string) {
    super('usage', message, 'Fix it, or create it again with `masthead init`.', 'usage')
    this.file = file
  }
}

const pathOf = ({ directory, fileName }: Pick<ProjectFile, 'directory' | 'fileName'>): string =>
  join(directory, fileName)

/** The folder to publish. */
export function namedFolder(directory: string, file: ProjectFile | null): string {
  return resolve(directory, file?.members.folder ?? '.')
}

/** The settings that `masthead init` writes. */
export interface ProjectFileChange {
  project: string
  folder: string
  /** Undefined for the default server. */
  server: string | undefined
}

/** Keeps other settings and YAML comments, unless the whole file is replaced. */
export async function writeProjectFile(
  file: Pick<ProjectFile, 'directory' | 'fileName'>,
  tie: ProjectFileChange,
  replaces: boolean,
): Promise<void> {
  const path = pathOf(file)
  const text = replaces ? '' : decodeText(await readFile(path).catch(() => Buffer.alloc(0)))
  const content = file.fileName.endsWith('.json') ? updateJson(text, tie) : await updateYaml(text, tie)
  await replaceContent(path, content).catch((error) => throwUnwritable(path, error))
}

/** The earlier content stays if the disk is full. */
async function replaceContent(path: string, content: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.${randomUUID()}`
  try {
    await writeFile(temporary, content, { flag: 'wx' })
    const mode = await stat(target).then(
      ({ mode }) => mode,
      () => null,
    )
    if (mode !== null) await chmod(temporary, mode)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    if (isOutOfSpace(error)) throw error
    // The file may be writable in a folder that is not, or be mounted.
    await writeFile(target, content)
  }
}

/** Throws if it could not be written. Asked before a project is created for it. */
export async function assertWritable(file: Pick<ProjectFile, 'directory' | 'fileName'>): Promise<void> {
  const path = pathOf(file)
  try {
    await access(path, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return access(file.directory, constants.W_OK)
    })
  } catch (error) {
    throwUnwritable(path, error as NodeJS.ErrnoException)
  }
}

function throwUnwritable(path: string, error: NodeJS.ErrnoException): never {
  const message = `${path} cannot be written (${error.code}).`
  const fix = isOutOfSpace(error) ? 'Free some space on the disk.' : 'Check the permissions of the folder.'
  throw new CommandError('unwritable', message, fix, 'failed', error)
}

function updateJson(text: string, tie: ProjectFileChange): string {
  return `${JSON.stringify({ ...JSON.parse(text || '{}'), ...tie }, null, 2)}\n`
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
