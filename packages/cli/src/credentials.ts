import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { configFolder } from '../bin/user-folders.js'
import { CommandError } from './errors/command-error.ts'
import { isOutOfSpace } from './errors/out-of-space.ts'

/** The stored API keys, one per server. */
export interface Credentials {
  /** The last server that was signed in to. */
  last?: string
  servers: Record<string, { key: string }>
}

/** Null if the user has no folder for it. */
export function credentialsPath(env: NodeJS.ProcessEnv): string | null {
  const folder = configFolder(env)
  return folder === null ? null : join(folder, 'credentials.json')
}

export async function readCredentials(path: string | null): Promise<Credentials> {
  if (path === null) return { servers: {} }
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    // HOME may be /dev/null, in which there can be no folder.
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { servers: {} }
    throw unreadable(path, error)
  }
  try {
    const { last, servers } = JSON.parse(text) as Partial<Credentials>
    return { ...(last === undefined ? {} : { last }), servers: { ...servers } }
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Throws if no key can be stored. Asked before a sign-in, so that no key is created that nobody has. */
export async function prepareCredentials(path: string | null): Promise<string> {
  if (path === null) {
    throw new CommandError(
      'no_home',
      'There is no folder to store a key in: HOME is not an absolute path.',
      'Set HOME or XDG_CONFIG_HOME, or set MASTHEAD_KEY instead of signing in.',
    )
  }
  const folder = dirname(path)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
  } catch (error) {
    throw unwritable(path, error)
  }
  return path
}

/** Replaces the file atomically; only its owner can read it. */
export async function writeCredentials(at: string | null, credentials: Credentials): Promise<void> {
  const path = await prepareCredentials(at)
  const temporary = `${path}.${randomUUID()}`
  const file = await open(temporary, 'wx', 0o600).catch((error) => {
    throw unwritable(path, error)
  })
  try {
    await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`)
    await file.sync()
    await file.close()
    await rename(temporary, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(temporary, { force: true })
    throw unwritable(path, error)
  }
}

function unwritable(path: string, cause: unknown): CommandError {
  const { code } = cause as NodeJS.ErrnoException
  return new CommandError(
    'credentials_unwritable',
    `The stored keys in ${path} cannot be changed (${code}).`,
    isOutOfSpace(cause)
      ? 'Free some space on the disk, or set XDG_CONFIG_HOME to another folder.'
      : 'Its folder must belong to you. Change the owner, or set XDG_CONFIG_HOME to another folder.',
    'failed',
    cause,
  )
}

function unreadable(path: string, cause: unknown): CommandError {
  const isForbidden = (cause as NodeJS.ErrnoException).code === 'EACCES'
  return new CommandError(
    'credentials_unreadable',
    `The stored keys in ${path} cannot be read.`,
    isForbidden
      ? 'The file and its folder must belong to you. Change the owner, or set XDG_CONFIG_HOME to another folder.'
      : 'Delete the file and sign in again with `masthead login`.',
    'failed',
    cause,
  )
}
