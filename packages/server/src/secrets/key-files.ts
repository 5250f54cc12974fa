import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, chown, link, open, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Never for all users of the machine. */
const ownerAndGroup = 0o660
const forGroup = 0o060

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

/** Atomic: readers see either the old content or the new. The same users can read both. */
export async function replaceSecretFile(path: string, content: string): Promise<void> {
  const before = await stat(path).catch(() => null)
  const draft = await writeDraft(path, content)
  try {
    if (before !== null) await copyAccess(before, draft)
    await rename(draft, path)
  } catch (error) {
    await unlink(draft)
    throw error
  }
  await syncFolder(path)
}

async function copyAccess({ uid, gid, mode }: Stats, draft: string): Promise<void> {
  const own = await stat(draft)
  const isShared = (mode & forGroup) !== 0
  if (own.uid !== uid || (own.gid !== gid && isShared)) await chown(draft, uid, gid)
  await chmod(draft, mode & ownerAndGroup)
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
