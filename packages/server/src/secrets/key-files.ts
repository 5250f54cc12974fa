import { randomBytes } from 'node:crypto'
import { link, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates a file only its owner can read, complete and on disk before it gets its name. False if it already exists. */
export async function createSecretFile(path: string, content: string): Promise<boolean> {
  const draft = await writeDraft(path, content)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await unlink(draft)
    await syncFolder(path)
  }
}

/** Atomic: readers see either the old content or the new. */
export async function replaceSecretFile(path: string, content: string): Promise<void> {
  await rename(await writeDraft(path, content), path)
  await syncFolder(path)
}

async function writeDraft(path: string, content: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await using file = await open(draft, 'wx', 0o600)
  await file.writeFile(content)
  await file.sync()
  return draft
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(dirname(path), 'r')
  await folder.sync()
}
