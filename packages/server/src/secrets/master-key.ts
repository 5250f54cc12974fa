import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSecretFile, replaceSecretFile } from './key-files.ts'

/** The first key seals. The others, older or upcoming, only open what was sealed under them. */
export type KeyRing = readonly [Buffer, ...Buffer[]]

/** The operator must fix this before the server can start. The message has both sentences. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError'
  /** What is wrong. */
  readonly fault: string
  /** What to do, where that is known. */
  readonly fix: string | null

  constructor(fault: string, fix: string | null = null) {
    super(fix === null ? fault : `${fault} ${fix}`)
    this.fault = fault
    this.fix = fix
  }
}

/** The purpose of the check value, which is sealed under the master key in use. */
export const masterKeyCheckPurpose = 'master key check'

const keyBytes = 32
const mostKeys = 5
const hex = /^[0-9a-f]{64}$/i
const base64 = /^[A-Za-z0-9+/_-]{43}=?$/

export function generateMasterKey(): Buffer {
  return randomBytes(keyBytes)
}

/** Reads keys in base64 or hex, separated by commas or line breaks. Null if the text is anything else. */
export function readKeyRing(text: string): KeyRing | null {
  const parts = text.trim().split(/\s*[,\n]\s*/)
  if (!parts.every((part) => hex.test(part) || base64.test(part))) return null
  const [first, ...others] = parts.map((part) => Buffer.from(part, hex.test(part) ? 'hex' : 'base64'))
  return first === undefined || parts.length > mostKeys ? null : [first, ...others]
}

export function masterKeyPath(dataFolder: string): string {
  return join(dataFolder, 'master.key')
}

/** Null if the file does not exist. Synchronous: it is a few bytes and nothing works without it. */
export function readMasterKeyFile(path: string): KeyRing | null {
  let text: string
  try {
    const { mode } = statSync(path)
    if ((mode & 0o007) !== 0) {
      throw new MasterKeyError(`${path} is readable by every user of this machine.`, `Run: chmod 600 ${path}`)
    }
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof MasterKeyError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new MasterKeyError(
      `${path} exists but could not be read (${code}).`,
      'Make it owned by, and readable only by, the user that runs Masthead.',
    )
  }
  const keys = readKeyRing(text)
  if (keys !== null) return keys
  throw new MasterKeyError(
    `${path} does not contain a master key (32 bytes in base64 or hex, one per line).`,
    'Restore it from a backup: without it, no private key in the database can be read.',
  )
}

/** If several processes start at once, the first creates the file and all read the same key. */
export async function createMasterKeyFile(path: string): Promise<KeyRing> {
  await createSecretFile(path, fileContent([generateMasterKey()]))
  return readMasterKeyFile(path) ?? createMasterKeyFile(path)
}

export async function replaceMasterKeyFile(path: string, keys: KeyRing): Promise<void> {
  if (keys.length > mostKeys) {
    throw new MasterKeyError(`${path} already contains ${mostKeys} keys.`, 'Remove those no longer in use.')
  }
  await replaceSecretFile(path, fileContent(keys))
}

function fileContent(keys: KeyRing): string {
  return keys.map((key) => `${key.toString('base64')}\n`).join('')
}
