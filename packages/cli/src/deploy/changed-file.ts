import { CommandError } from '../command-error.ts'

/** A file is not what it was when it was hashed. */
export function changedFile(path: string, cause?: unknown): CommandError {
  return new CommandError(
    'file_changed',
    `${path.slice(1)} changed while it was being published.`,
    'Nothing was published. Run the command again when nothing writes to the folder.',
    'failed',
    cause,
  )
}

/** A file that was there a moment ago cannot be read. */
export function vanished(path: string, error: NodeJS.ErrnoException | unknown): never {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') throw changedFile(path, error)
  throw new CommandError(
    'unreadable',
    `${path.slice(1)} cannot be read (${code}).`,
    'Check its permissions.',
    'failed',
    error,
  )
}
