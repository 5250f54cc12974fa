import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Readable by its owner alone, and under its name only once it is whole and on disk. False where there is one. */
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

/** At any moment there is the old content or the new. */
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

/** The operator key of the data folder; made on the first start, readable by its owner alone. */
export async function openOperatorKey(dataFolder: string): Promise<string> {
  const path = join(dataFolder, 'operator.key')
  const known = await readFile(path, 'utf8').catch(unlessMissing)
  const key = (known ?? (await makeKey(path))).trim()
  if (key.length >= 32) return key
  throw new Error(`${path} does not hold a key of at least 32 characters. Remove it, and a new one is made.`)
}

/** Of two that start at once, the first to finish wins. */
async function makeKey(path: string): Promise<string> {
  await createSecretFile(path, `${randomBytes(32).toString('base64url')}\n`)
  return readFile(path, 'utf8')
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
