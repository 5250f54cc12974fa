import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type BlobKey, blobPath, documentPath } from '../../blobs/blob-store.ts'
import type { Encoding } from '../../deployments/manifest.ts'
import { UnorderedDigest } from '../rows/table-digest.ts'
import type { FileTotals } from './installed-files.ts'
import type { StoredContent } from './read-content.ts'

export type BackedUpFile = { stored: StoredContent } & (
  | { kind: 'blob'; key: BlobKey }
  | { kind: 'document'; name: string }
)

const batchSize = 1_000

/** Which stored file is which file of the installation: a SQLite file in each snapshot. */
export class FileList {
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #find: StatementSync
  readonly #uses: StatementSync

  static create(file: string): FileList {
    const database = new DatabaseSync(file)
    database.exec(`
      pragma synchronous = off;
      create table files (
        account_id text, sha256 text, encoding text, document text, stored text not null, size integer not null);
      create index files_by_stored on files (stored);
      create index files_by_blob on files (account_id, sha256);
      create index files_by_document on files (document) where document is not null;
      begin`)
    return new FileList(database)
  }

  static open(file: string): FileList {
    return new FileList(new DatabaseSync(file, { readOnly: true }))
  }

  private constructor(database: DatabaseSync) {
    this.#database = database
    this.#insert = database.prepare('insert into files values (?, ?, ?, ?, ?, ?)')
    this.#find = database.prepare(
      'select stored, size from files where account_id = ? and sha256 = ? and encoding is ?',
    )
    this.#uses = database.prepare('select 1 from files where stored = ?')
  }

  add(file: BackedUpFile): void {
    const { sha256, size } = file.stored
    if (file.kind === 'document') this.#insert.run(null, null, null, file.name, sha256, size)
    else this.#insert.run(file.key.accountId, file.key.sha256, file.key.encoding ?? null, null, sha256, size)
  }

  /** The content that a blob had in this snapshot. */
  find({ accountId, sha256, encoding }: BlobKey): StoredContent | null {
    const row = this.#find.get(accountId, sha256, encoding ?? null)
    return row === undefined ? null : { sha256: String(row.stored), size: Number(row.size) }
  }

  findDocument(name: string): StoredContent | null {
    const row = this.#database.prepare('select stored, size from files where document = ?').get(name)
    return row === undefined ? null : { sha256: String(row.stored), size: Number(row.size) }
  }

  uses(stored: string): boolean {
    return this.#uses.get(stored) !== undefined
  }

  totals(): FileTotals {
    const row = this.#database
      .prepare('select count(*) as files, coalesce(sum(size), 0) as bytes from files')
      .get()
    return { files: Number(row?.files), bytes: Number(row?.bytes) }
  }

  *all(): Generator<BackedUpFile> {
    const next = this.#database.prepare(
      `select rowid as id, * from files where rowid > ? order by rowid limit ${batchSize}`,
    )
    for (let after = 0; ; ) {
      const rows = next.all(after)
      if (rows.length === 0) return
      after = Number(rows.at(-1)?.id)
      for (const { account_id, sha256, encoding, document, stored, size } of rows) {
        const content = { sha256: String(stored), size: Number(size) }
        if (document !== null) yield { kind: 'document', name: String(document), stored: content }
        else {
          const key: BlobKey = { accountId: String(account_id), sha256: String(sha256) }
          if (encoding !== null) key.encoding = String(encoding) as Encoding
          yield { kind: 'blob', key, stored: content }
        }
      }
    }
  }

  /** Of all paths, contents and sizes. */
  digest(): string {
    const digest = new UnorderedDigest()
    for (const file of this.all()) digest.add(`${listedPath(file)} ${file.stored.sha256} ${file.stored.size}`)
    return digest.result()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  close(): void {
    if (this.#database.isTransaction) this.#database.exec('commit')
    this.#database.close()
  }
}

export function listedPath(file: BackedUpFile): string {
  return file.kind === 'blob' ? blobPath(file.key) : documentPath(file.name)
}
