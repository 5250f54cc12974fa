import { randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The operator key of the data folder; made on the first start, readable by its owner alone. */
export async function operatorKeyIn(dataFolder: string): Promise<string> {
  const path = join(dataFolder, 'operator.key')
  try {
    const file = await open(path, 'wx', 0o600)
    const key = randomBytes(32).toString('base64url')
    await file.writeFile(`${key}\n`)
    await file.sync()
    await file.close()
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const key = (await readFile(path, 'utf8')).trim()
    if (key.length >= 32) return key
    throw new Error(
      `${path} does not hold a key of at least 32 characters. Remove it, and a new one is made.`,
    )
  }
}
