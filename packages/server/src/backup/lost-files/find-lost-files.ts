import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { BlobKey, BlobStore } from '../../blobs/blob-store.ts'
import type { Database } from '../../database/database.ts'
import { type Encoding, hasRules, type Manifest, type ManifestFile } from '../../deployments/manifest.ts'
import { manifestName, parseManifest, rulesName } from '../../deployments/manifest-document.ts'
import { filesToCheck } from '../../deployments/sweep/lost-files.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { parseJson } from '../../kernel/parse-json.ts'
import type { RunningStep } from '../progress-report.ts'
import { contentFault, readWhole } from './file-fault.ts'
import { type LostFile, nameOf } from './lost-file.ts'
import { deploymentsToCheck } from './lost-file-store.ts'

interface Stores {
  database: Database
  blobs: BlobStore
}

export interface CheckedFiles {
  lost: LostFile[]
  /** The contents that an earlier check marked as lost, and that are there again. */
  back: string[]
}

const atOnce = 8

/** A content that the account has. Only the lost ones are worth knowing who uses them: there may be very many. */
interface Content {
  size: number
  encodings: Set<Encoding>
}

type Fault = Pick<LostFile, 'file' | 'fault'>

/** Reads every file that ready deployments of an account need or its uploads rely on, while servers run. */
export async function findLostFiles(
  { database, blobs }: Stores,
  accountId: Id<'account'>,
  step?: Pick<RunningStep, 'advance'>,
): Promise<CheckedFiles> {
  const contents = new Map<string, Content>()
  const faults: Fault[] = []
  for (const { id } of await deploymentsToCheck(database.read, accountId)) {
    const { manifest, faults: ofDocuments } = await readDocuments(blobs, id)
    faults.push(...ofDocuments)
    for (const file of manifest.values()) addContent(contents, file)
  }
  const held = await filesToCheck(database.read, accountId)
  for (const file of held) addContent(contents, file)
  await forEachConcurrently(contents, atOnce, async ([sha256, { size, encodings }]) => {
    for (const encoding of [undefined, ...encodings]) {
      const key: BlobKey = { accountId, sha256, encoding }
      const fault = await contentFault(blobs, key)
      if (fault !== null) faults.push({ file: { kind: 'blob', key, size }, fault })
    }
    step?.advance(1, size)
  })
  const faulty = new Set(faults.map(({ file }) => nameOf(file)))
  const back = held.filter(({ sha256, isLost }) => isLost && !faulty.has(sha256))
  return {
    lost: faults.length === 0 ? [] : await stillNeeded({ database, blobs }, accountId, faults),
    back: back.map(({ sha256 }) => sha256),
  }
}

/** The manifest, empty if it is lost. */
async function readDocuments(
  blobs: BlobStore,
  id: Id<'deployment'>,
): Promise<{ manifest: Manifest; faults: Fault[] }> {
  const lost = (name: string, fault: LostFile['fault']): Fault[] => [
    { file: { kind: 'document', name }, fault },
  ]
  const manifest = await readWhole(blobs, manifestName(id), parseManifest)
  if ('fault' in manifest) return { manifest: new Map(), faults: lost(manifestName(id), manifest.fault) }
  const rules = hasRules(manifest.value) ? await readWhole(blobs, rulesName(id), parseJson) : null
  const isLost = rules !== null && 'fault' in rules
  return { manifest: manifest.value, faults: isLost ? lost(rulesName(id), rules.fault) : [] }
}

function addContent(
  contents: Map<string, Content>,
  { sha256, size, encoded = {} }: Pick<ManifestFile, 'sha256' | 'size' | 'encoded'>,
): void {
  const content = contents.get(sha256) ?? { size, encodings: new Set() }
  contents.set(sha256, content)
  for (const encoding of Object.keys(encoded)) content.encodings.add(encoding as Encoding)
}

/** Deployments may have been deleted in the meantime, and their files swept. */
async function stillNeeded(
  { database, blobs }: Stores,
  accountId: Id<'account'>,
  faults: readonly Fault[],
): Promise<LostFile[]> {
  const faulty = new Set(faults.map(({ file }) => nameOf(file)))
  const uses = new Map<string, Map<string, string | null>>()
  const note = (name: string, use?: [slug: string, path: string | null]) => {
    if (!faulty.has(name)) return
    const known = uses.get(name) ?? new Map<string, string | null>()
    uses.set(name, known)
    if (use !== undefined) known.set(...use)
  }
  for (const { sha256 } of await filesToCheck(database.read, accountId)) note(sha256)
  for (const { id, slug } of await deploymentsToCheck(database.read, accountId)) {
    for (const name of [manifestName(id), rulesName(id)]) note(name, [slug, null])
    const manifest = await readWhole(blobs, manifestName(id), parseManifest)
    if ('fault' in manifest) continue
    for (const [path, { sha256 }] of manifest.value) note(sha256, [slug, path])
  }
  return faults.flatMap(({ file, fault }) => {
    const usedBy = uses.get(nameOf(file))
    return usedBy === undefined ? [] : [{ file, fault, usedBy }]
  })
}
