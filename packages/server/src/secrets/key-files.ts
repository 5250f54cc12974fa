import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

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

/** Reads the operator key from the data folder, creating it on first start. */
export async function openOperatorKey(dataFolder: string): Promise<string> {
  const path = join(dataFolder, 'operator.key')
  const existing = await readFile(path, 'utf8').catch(nullIfMissing)
  const key = (existing ?? (await createKey(path))).trim()
  if (key.length >= 32) return key
  throw new Error(
    `${path} does not contain a key of at least 32 characters. Delete it and restart to get a new one.`,
  )
}

/** If two processes start at once, both use the file of the first to finish. */
async function createKey(path: string): Promise<string> {
  await createSecretFile(path, `${randomBytes(32).toString('base64url')}\n`)
  return readFile(path, 'utf8')
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
