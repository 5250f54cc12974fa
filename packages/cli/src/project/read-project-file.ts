import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { projectFileNames } from '@masthead/contract/deployments.ts'
import { decodeText } from '@masthead/contract/text/decode-text.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import type { ProjectFile } from './project-file.ts'

const maxCharacters = 1_000_000

/** The project file of a folder. Errors name it relative to `cwd`. */
export async function readProjectFile(directory: string, cwd: string): Promise<ProjectFile | null> {
  const nameOf = (fileName: string) => relative(cwd, join(directory, fileName))
  const found: { fileName: string; text: string }[] = []
  for (const fileName of projectFileNames) {
    const content = await readFile(join(directory, fileName)).catch((error) =>
      absent(nameOf(fileName), error),
    )
    if (content !== null) found.push({ fileName, text: decodeText(content) })
  }
  const [first, second] = found
  if (first === undefined) return null
  if (second !== undefined) {
    throw usageError(
      `Both ${nameOf(first.fileName)} and ${nameOf(second.fileName)} exist.`,
      'Keep one of them and delete the other.',
    )
  }
  const { fileName, text } = first
  const name = nameOf(fileName)
  if (text.length > maxCharacters) throw usageError(`${name} is too large to be a project file.`, '')
  // Loaded on demand: the schema and YAML take longer to load than most commands run.
  const { parseProjectFile } = await import('./parse-project-file.ts')
  return { directory, fileName, name, ...parseProjectFile(text, name) }
}

function absent(name: string, error: NodeJS.ErrnoException): null {
  const { code } = error
  if (code === 'ENOENT' || code === 'ENOTDIR') return null
  if (code === 'EISDIR') throw usageError(`${name} is a folder, not a file.`, 'Give it another name.')
  const message = `${name} cannot be read (${code}).`
  throw new CommandError('unreadable', message, 'Check its permissions.', 'failed', error)
}
