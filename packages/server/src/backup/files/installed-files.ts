import type { DatabaseSync } from 'node:sqlite'
import type { BlobKey, BlobStore } from '../../blobs/blob-store.ts'
import { type Encoding, encodings, hasRules, type ManifestFile } from '../../deployments/manifest.ts'
import { manifestName, parseManifest, readIfWhole, rulesName } from '../../deployments/manifest-document.ts'
import { parseJson } from '../../kernel/parse-json.ts'

/** One stored file that an installation needs. */
export type InstalledFile =
  | { kind: 'blob'; key: BlobKey; size: number; isRequired: boolean }
  /** A manifest, or rules. Servers replace manifests, so its content is what was read with everything that it names. */
  | { kind: 'document'; name: string; content: Buffer | null; isRequired: boolean }

export interface FileTotals {
  files: number
  bytes: number
}

/** Compressed forms are not counted: their number is only known after reading everything. */
export function countFiles(rows: DatabaseSync): FileTotals {
  const one = (sql: string) => Number(Object.values(rows.prepare(sql).get() ?? {})[0] ?? 0)
  return {
    files: one(
      `select (select count(*) from blobs where doomed_at is null) +
         (select count(*) from deployments where state = 'ready')`,
    ),
    bytes: one('select coalesce(sum(size), 0) from blobs where doomed_at is null'),
  }
}

/**
 * Every file that the rows name, one account after the other, so that only one account's names are in memory. A file
 * that the sweep was about to remove may be missing. While servers run, a manifest may name compressed forms that are
 * newer than the rows; sites would ask for them, so they belong to it.
 */
export async function* installedFiles(
  rows: DatabaseSync,
  store: Pick<BlobStore, 'readDocument'>,
): AsyncGenerator<InstalledFile> {
  const accounts = rows.prepare(
    `select account_id as id from blobs union select account_id from deployments
     union select account_id from discarded_manifests order by 1`,
  )
  for (const { id } of accounts.all()) yield* filesOfAccount(rows, store, String(id))
}

async function* filesOfAccount(
  rows: DatabaseSync,
  store: Pick<BlobStore, 'readDocument'>,
  accountId: string,
): AsyncGenerator<InstalledFile> {
  const forms: Forms = new Map()
  const listed = new Set<string>()
  const manifests = rows.prepare(
    `select id, state from deployments where account_id = ?1
     union all select deployment_id, null from discarded_manifests where account_id = ?1`,
  )
  for (const { id, state } of manifests.all(accountId)) {
    const name = manifestName(String(id))
    const { content, parsed: manifest } = await readIfWhole(store, name, parseManifest)
    // An upload has none while its archive arrives, or if its server was killed before it was written.
    const isReady = state === 'ready'
    yield { kind: 'document', name, content, isRequired: isReady }
    if (manifest === null || state === null) continue
    for (const { sha256, encoded } of manifest.values()) {
      addForms(forms, sha256, encoded)
      if (isReady) listed.add(sha256)
    }
    if (!hasRules(manifest)) continue
    const rulesOf = { kind: 'document', name: rulesName(String(id)), isRequired: true } as const
    const rules = await readIfWhole(store, rulesOf.name, parseJson)
    // Deployments from before there were rules, and those being uploaded, have none. Of one that was removed just now,
    // the manifest is gone too.
    if (rules.isThere || (isReady && (await store.readDocument(name)) === null))
      yield { ...rulesOf, content: rules.content }
  }
  const blobs = rows.prepare(
    'select rowid as id, sha256, size, encoded, doomed_at from blobs where account_id = ? and rowid > ? order by rowid limit 1000',
  )
  for (let after = 0; ; ) {
    const some = blobs.all(accountId, after)
    if (some.length === 0) return
    after = Number(some.at(-1)?.id)
    for (const { sha256, size, encoded, doomed_at } of some) {
      const digest = String(sha256)
      // Lost files that are to be published again have the mark of a removal too.
      const isRequired = doomed_at === null || listed.has(digest)
      if (encoded !== null) addForms(forms, digest, JSON.parse(String(encoded)) as ManifestFile['encoded'])
      yield { kind: 'blob', key: { accountId, sha256: digest }, size: Number(size), isRequired }
      for (const [encoding, formSize] of forms.get(digest) ?? [])
        yield { kind: 'blob', key: { accountId, sha256: digest, encoding }, size: formSize, isRequired }
    }
  }
}

/** The sizes of the compressed forms by digest. */
type Forms = Map<string, Map<Encoding, number>>

function addForms(forms: Forms, sha256: string, encoded: ManifestFile['encoded']): void {
  if (encoded === undefined) return
  const known = forms.get(sha256) ?? new Map<Encoding, number>()
  for (const encoding of encodings) {
    const size = encoded[encoding]
    if (size !== undefined) known.set(encoding, size)
  }
  if (known.size > 0) forms.set(sha256, known)
}
