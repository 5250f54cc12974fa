import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretFile } from './secret-file.ts'

/** The operator key of the data folder; made on the first start, readable by its owner alone. */
export async function operatorKeyIn(dataFolder: string): Promise<string> {
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
