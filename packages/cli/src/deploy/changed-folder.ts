import { CommandError } from '../errors/command-error.ts'

const untilItRests = 'Run the command again when the folder no longer changes.'

/** The file changed after it was hashed. */
export function fileChangedError(path: string, cause?: unknown): CommandError {
  return new CommandError(
    'file_changed',
    `${path.slice(1)} changed while it was being published.`,
    `Nothing was published. ${untilItRests}`,
    'failed',
    cause,
  )
}

/** Another program, such as a build, changed the folder after we found this there. */
export function folderChangedError(what: string, cause?: unknown): CommandError {
  return new CommandError(
    'folder_changed',
    `The folder changed while it was being read: ${what} was removed or replaced.`,
    untilItRests,
    'failed',
    cause,
  )
}

const goneCodes = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ESTALE']

/** Reading what we found in the folder failed. */
export function throwReadError(what: string, error: unknown, kind = ''): never {
  const { code } = error as NodeJS.ErrnoException
  if (goneCodes.includes(String(code))) throw folderChangedError(what, error)
  throw new CommandError(
    'unreadable',
    `${kind}${what} cannot be read (${code}).`,
    'Check its permissions.',
    'failed',
    error,
  )
}
