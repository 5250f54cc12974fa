import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError } from './errors/command-error.ts'

/** The stored API keys, one per server. */
export interface Credentials {
  /** The last server that was signed in to. */
  last?: string
  servers: Record<string, { key: string }>
}

export function credentialsPath(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'masthead', 'credentials.json')
}

export async function readCredentials(path: string): Promise<Credentials> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { servers: {} }
    throw unreadable(path, error)
  }
  try {
    const { last, servers } = JSON.parse(text) as Partial<Credentials>
    return { ...(last === undefined ? {} : { last }), servers: { ...servers } }
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Replaces the file atomically; only its owner can read it. */
export async function writeCredentials(path: string, credentials: Credentials): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const temporary = `${path}.${randomUUID()}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`)
    await file.sync()
    await file.close()
    await rename(temporary, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}

function unreadable(path: string, cause: unknown): CommandError {
  return new CommandError(
    'credentials_unreadable',
    `The stored keys in ${path} cannot be read.`,
    'Delete the file and sign in again with `masthead login`.',
    'failed',
    cause,
  )
}
