import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CommandContext } from '../context.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { namedFolder } from '../project/project-file.ts'

export function folderToPublish({ cwd, projectFile }: CommandContext, word: string | undefined): string {
  const home = projectFile?.directory ?? cwd
  const given = word === undefined ? home : resolve(cwd, word)
  return given === home ? namedFolder(home, projectFile) : given
}

export async function assertFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EACCES') return null
    throw new CommandError('unreadable', `${folder} cannot be read (${code}).`, 'Check its permissions.')
  })
  if (stats?.isDirectory()) return
  throw usageError(
    `${folder} ${stats ? 'is not a folder' : 'does not exist'}.`,
    'Choose the folder to publish.',
  )
}
