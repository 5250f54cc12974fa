import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError } from './process-lifetime.ts'

/** Creates a folder and those above it, unless it exists, for a path that an operator chose. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await makeAll(path, mode)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorError(
      `${(error as Error).message}. Use a folder that this user can create and write to.`,
      { cause: error },
    )
  }
}

/** `mkdir` with `recursive` never ends where a folder exists but none can be created in it, as in /proc. */
async function makeAll(path: string, mode: number): Promise<void> {
  const failure = await makeOne(path, mode)
  if (failure === null) return
  if (failure.code !== 'ENOENT' || dirname(path) === path) throw failure
  await makeAll(dirname(path), mode)
  const again = await makeOne(path, mode)
  if (again !== null) throw again
}

async function makeOne(path: string, mode: number): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path, { mode })
    return null
  } catch (error) {
    return (await isFolder(path)) ? null : (error as NodeJS.ErrnoException)
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
