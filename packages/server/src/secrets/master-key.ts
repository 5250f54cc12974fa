import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSecretFile, replaceSecretFile } from './key-files.ts'

/** The first key seals; the others are older, or about to come, and open what was sealed under them. */
export type KeyRing = readonly [Buffer, ...Buffer[]]

/** A fault that the operator has to repair before the start; the message says how. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError'
}

const keyBytes = 32
const mostKeys = 5
const hex = /^[0-9a-f]{64}$/i
const base64 = /^[A-Za-z0-9+/_-]{43}=?$/

export function generateMasterKey(): Buffer {
  return randomBytes(keyBytes)
}

/** Keys in base64 or hex, with commas or line breaks between. Null where it is anything else. */
export function readKeyRing(text: string): KeyRing | null {
  const parts = text.trim().split(/\s*[,\n]\s*/)
  if (!parts.every((part) => hex.test(part) || base64.test(part))) return null
  const [first, ...others] = parts.map((part) => Buffer.from(part, hex.test(part) ? 'hex' : 'base64'))
  return first === undefined || parts.length > mostKeys ? null : [first, ...others]
}

export function masterKeyPath(dataFolder: string): string {
  return join(dataFolder, 'master.key')
}

/** Null where there is no such file. Reads at once: it is a few bytes, and needed to go on. */
export function readMasterKeyFile(path: string): KeyRing | null {
  let text: string
  try {
    const { mode } = statSync(path)
    if ((mode & 0o007) !== 0) {
      throw new MasterKeyError(`${path} is open to every user of this machine. Run: chmod 600 ${path}`)
    }
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof MasterKeyError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new MasterKeyError(
      `${path} is there but could not be read (${code}). Give the file to the user that runs this, who alone may read it.`,
    )
  }
  const keys = readKeyRing(text)
  if (keys !== null) return keys
  throw new MasterKeyError(
    `${path} does not hold a master key (32 bytes in base64 or hex, a line each). Put it back from a backup: ` +
      'without it no private key in the database can be read.',
  )
}

/** Of several that start at once the first one makes it, and all read the same. */
export async function createMasterKeyFile(path: string): Promise<KeyRing> {
  await createSecretFile(path, fileContent([generateMasterKey()]))
  return readMasterKeyFile(path) ?? createMasterKeyFile(path)
}

export async function replaceMasterKeyFile(path: string, keys: KeyRing): Promise<void> {
  if (keys.length > mostKeys) {
    throw new MasterKeyError(
      `${path} holds ${mostKeys} keys already. Leave out those that nothing is sealed under.`,
    )
  }
  await replaceSecretFile(path, fileContent(keys))
}

function fileContent(keys: KeyRing): string {
  return keys.map((key) => `${key.toString('base64')}\n`).join('')
}
