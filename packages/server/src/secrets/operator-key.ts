import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../database/database.ts'
import { createSecretFile, replaceSecretFile } from './key-files.ts'
import type { Sealing } from './sealing.ts'
import {
  deleteSharedKey,
  findSharedKey,
  openSharedKey,
  putSharedKey,
  type SharedKey,
  sealedColumnOf,
} from './shared-key.ts'

const operatorKey: SharedKey = { table: 'operator_key', purpose: 'operator key' }
const { table, purpose } = operatorKey

export const operatorKeyColumn = sealedColumnOf(operatorKey)

export interface OperatorKeyParts extends Context {
  sealing: Sealing
  dataFolder: string
  log: { warn(message: string): void }
}

/**
 * The operator key if none is given, created on first start. With SQLite it is in the data folder. Nodes that share
 * PostgreSQL may have separate folders, so there it is in the database, and the folder has a copy to read it from.
 */
export async function openOperatorKey(parts: OperatorKeyParts): Promise<string> {
  const path = join(parts.dataFolder, 'operator.key')
  const own = await readKeyFile(path)
  if (parts.database.dialect === 'sqlite') {
    await takeSharedKey(parts, path)
    return (await readKeyFile(path)) ?? createKeyFile(path)
  }
  // The first node decides, with the key in its folder if it has one.
  const shared = (await openSharedKey(parts, operatorKey, () => own ?? generateKey())).toString()
  if (own !== null && own !== shared) {
    parts.log.warn(
      `${path} was replaced with the operator key that all nodes share. The previous one is not valid.`,
    )
  }
  if (own !== shared) await replaceSecretFile(path, `${shared}\n`)
  return shared
}

/**
 * A backup of PostgreSQL that was restored into SQLite has the key as a row. From then on the file is the key: a row
 * left beside it would become the key again with the next change of databases.
 */
async function takeSharedKey({ database, sealing }: OperatorKeyParts, path: string): Promise<void> {
  const sealed = await findSharedKey(database.read, table)
  if (sealed === null) return
  // Never replaces a file.
  await createSecretFile(path, `${sealing.open(sealed, purpose)}\n`)
  await database.write((tx) => deleteSharedKey(tx, table))
}

/** Stores a new operator key, which servers use from their next start on. Returns the file that has it. */
export async function replaceOperatorKey({
  database,
  now,
  sealing,
  dataFolder,
}: Omit<OperatorKeyParts, 'log'>): Promise<string> {
  const key = generateKey()
  if (database.dialect === 'postgres') {
    const row = { sealed_key: sealing.seal(key, purpose), created_at: now() }
    await database.write((tx) => putSharedKey(tx, table, row))
  }
  const path = join(dataFolder, 'operator.key')
  await replaceSecretFile(path, `${key}\n`)
  return path
}

function generateKey(): string {
  return randomBytes(32).toString('base64url')
}

async function readKeyFile(path: string): Promise<string | null> {
  const content = await readFile(path, 'utf8').catch(nullIfMissing)
  if (content === null) return null
  const key = content.trim()
  if (key.length >= 32) return key
  throw new Error(
    `${path} does not contain a key of at least 32 characters. Delete it and restart to get a new one.`,
  )
}

/** If two processes start at once, both use the file of the first to finish. */
async function createKeyFile(path: string): Promise<string> {
  await createSecretFile(path, `${generateKey()}\n`)
  return (await readKeyFile(path)) ?? createKeyFile(path)
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
