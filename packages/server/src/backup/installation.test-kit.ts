import { hash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { gzipSync } from 'node:zlib'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { blobPath, documentPath } from '../blobs/blob-store.ts'
import { openDatabase } from '../database/database.ts'
import { quote } from './rows/row-reader.ts'
import { tableContents } from './rows/tables.ts'

export const silent = { warn: () => {} }
export const quiet = { begin: () => ({ advance: () => {}, end: () => {} }) }

export interface InstallationSize {
  /** Rows of each table. */
  rows?: number
  accounts?: number
  deploymentsPerAccount?: number
  filesPerDeployment?: number
}

/** A stopped installation in a data folder: rows in every table, and the files that they name. */
export async function createInstallation(size: InstallationSize = {}) {
  const folder = await temporaryFolder('masthead-installation')
  const dataFolder = join(folder.path, 'data')
  await mkdir(dataFolder)
  const databaseFile = join(dataFolder, 'masthead.db')
  migrated ??= migrateFile()
  await writeFile(databaseFile, await migrated)
  const database = new DatabaseSync(databaseFile)
  database.exec('pragma synchronous = off; begin')
  database.prepare('insert into installation values (?, 1)').run(randomUUID())
  fillTables(database, size.rows ?? 5)
  const files = addDeployments(database, size)
  database.exec('commit')
  database.close()
  for (const [path, content] of files) await writeBelow(join(dataFolder, 'blobs'), path, content)
  return {
    dataFolder,
    databaseFile,
    /** Stored files by their path below `blobs`. */
    files,
    path: folder.path,
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

let migrated: Promise<Buffer> | undefined

async function migrateFile(): Promise<Buffer> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'masthead.db')
  await (await openDatabase({ dialect: 'sqlite', file }, silent)).close()
  return await readFile(file)
}

export async function writeBelow(folder: string, path: string, content: Uint8Array | string): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

/** Values that databases or encodings have treated differently somewhere. */
const texts = [
  '',
  'plain',
  `quo'te"d \\ back`,
  'ünïcödé 😀 漢字',
  '{"a":[1,null,"b"]}',
  'line\nbreak\ttab',
  '0',
  'null',
]
const numbers = [0, 1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, 1_762_000_000_000]

/** Rows in every table of the schema, of every type, with nulls wherever they are allowed. */
function fillTables(database: DatabaseSync, rows: number): void {
  for (const table of Object.keys(tableContents)) {
    if (['blobs', 'deployments', 'file_store', 'installation', 'live_versions'].includes(table)) continue
    const columns = database.prepare('select * from pragma_table_xinfo(?) where hidden = 0').all(table)
    const references = new Map(
      database
        .prepare('select * from pragma_foreign_key_list(?)')
        .all(table)
        .map((key) => [String(key.from), String(key.table)]),
    )
    const insert = database.prepare(
      `insert into ${quote(table)} (${columns.map(({ name }) => quote(String(name))).join()}) values (${columns.map(() => '?').join()})`,
    )
    for (let i = 0; i < rows; i++) {
      const values = columns.map(({ name, type, pk, notnull }, index): SQLInputValue => {
        const isText = String(type).toLowerCase().startsWith('text')
        const referred = references.get(String(name))
        if (referred !== undefined) return idOf(referred, i)
        if (name === 'id' || (pk !== 0 && isText)) return idOf(table, i)
        if (pk !== 0 && name === 'seq') return i + 1
        if (table === 'events' && name === 'type') return 'project.created'
        if (notnull === 0 && (i + index) % 3 === 0) return null
        if (isText) return `${texts[(i + index) % texts.length]} ${i}`
        const number = numbers[(i + index) % numbers.length] ?? 0
        return String(type).toLowerCase() === 'bigint' ? number : number % 2 ** 31
      })
      insert.run(...values)
    }
  }
}

const idOf = (table: string, i: number) => `${table === 'accounts' ? 'acc' : table}_${i}`

function addDeployments(database: DatabaseSync, size: InstallationSize): Map<string, Buffer> {
  const { accounts = 2, deploymentsPerAccount = 2, filesPerDeployment = 3 } = size
  const files = new Map<string, Buffer>()
  const blob = database.prepare(
    'insert or ignore into blobs (account_id, sha256, size, encoded, encoded_best, doomed_at) values (?, ?, ?, ?, 0, null)',
  )
  const deployment = database.prepare(
    `insert into deployments (id, account_id, project_id, state, files, bytes, created_by, created_at, encode_failures,
       encode_due_at, encode_lease_until, manifest_bytes, reserved_bytes)
     values (?, ?, ?, 'ready', ?, 0, 'The test', 1, 0, 0, 0, 100, 0)`,
  )
  for (let a = 0; a < accounts; a++) {
    const accountId = idOf('accounts', a)
    for (let d = 0; d < deploymentsPerAccount; d++) {
      const manifest: Record<string, object> = {}
      for (let f = 0; f < filesPerDeployment; f++) {
        const content = Buffer.from(
          `<p>file ${f} of ${accountId}, ${f === 0 ? 'in all' : `in ${d}`} ${'.'.repeat(f * 50)}`,
        )
        const sha256 = hash('sha256', content)
        const gzip = gzipSync(content)
        const encoded = f % 2 === 0 ? { gzip: gzip.byteLength } : null
        if (encoded !== null) files.set(blobPath({ accountId, sha256, encoding: 'gzip' }), gzip)
        files.set(blobPath({ accountId, sha256 }), content)
        blob.run(accountId, sha256, content.byteLength, encoded === null ? null : JSON.stringify(encoded))
        // Some sites have rules.
        const path = f === 1 && d === 1 ? '/_redirects' : `/${f}.html`
        manifest[path] = { sha256, size: content.byteLength, ...(encoded && { encoded }) }
      }
      const id = `dpl_${a}x${d}`
      const document = Buffer.from(JSON.stringify({ version: 1, files: manifest }))
      files.set(documentPath(`manifests/${id}.json`), document)
      const rules = Buffer.from('{"version":1,"redirects":[],"headers":[]}')
      if (d === 1) files.set(documentPath(`manifests/${id}.rules.json`), rules)
      deployment.run(id, accountId, idOf('projects', 0), filesPerDeployment)
    }
  }
  return files
}

/** An upload without a manifest: its archive is arriving, or its server was killed. */
export function addUpload({ databaseFile }: { databaseFile: string }): void {
  const rows = new DatabaseSync(databaseFile)
  rows.exec(
    `insert into deployments (id, account_id, project_id, state, files, bytes, created_by, created_at, encode_failures,
       encode_due_at, encode_lease_until, manifest_bytes, reserved_bytes)
     select 'dpl_upload', account_id, project_id, 'uploading', 0, 0, created_by, 1, 0, 0, 0, 0, 0 from deployments limit 1`,
  )
  rows.close()
}

/** Contents by their path below a folder, without its id: each place has its own. */
export async function storedFiles(folder: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && entry.name !== 'store-id') found.set(relative(folder, path), await readFile(path))
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}
