import type { Id } from '@masthead/contract/ids.ts'
import type { StagedBlob } from '../blobs/blob-store.ts'
import { lock } from '../database/database.ts'
import { lockProject } from '../projects/lock-project.ts'
import { uploadsLock } from './begin-deployment.ts'
import { findBlobs, setEncoded } from './blob-row-store.ts'
import type { DeploymentContext } from './context.ts'
import { encode, isCompressible } from './encode.ts'
import { digestsOf, type Encoding, encodings, type Manifest, type ManifestFile } from './manifest.ts'
import { readManifest, writeManifest } from './manifest-document.ts'
import { type DeploymentRow, findDeployment, nextToEncode, updateDeployment } from './store.ts'

type Sizes = ManifestFile['encoded'] & {}

/**
 * Makes the compressed forms of one deployment's files, after it went live: nobody waits for them. False when there
 * is nothing to do. Stopped half-way it starts with what is left.
 */
export async function encodeNextDeployment(
  context: DeploymentContext,
  stopping?: AbortSignal,
): Promise<boolean> {
  const deployment = await nextToEncode(context.database.read)
  if (deployment === undefined) return false
  try {
    await encodeDeployment(context, deployment, stopping)
  } catch (error) {
    // A deployment that was removed meanwhile may have lost its files while they were read.
    if ((await findDeployment(context.database.read, deployment.id)) !== undefined) throw error
  }
  return true
}

async function encodeDeployment(
  context: DeploymentContext,
  deployment: DeploymentRow,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const manifest = await readManifest(context.blobs, deployment.id)
  if (manifest === null) throw new Error(`The manifest of ${deployment.id} is missing`)
  const known = new Map<string, Sizes>()
  for (const row of await findBlobs(context.database.read, deployment.account_id, digestsOf(manifest))) {
    if (row.encoded !== null) known.set(row.sha256, JSON.parse(row.encoded))
  }
  for (const [path, { sha256 }] of manifest) {
    if (known.has(sha256) || !isCompressible(path)) continue
    if (stopping?.aborted) return
    known.set(sha256, await encodeBlob(context, deployment.account_id, sha256))
  }
  await publishEncodings(context, deployment, manifest, known)
}

async function encodeBlob(
  { database, blobs }: DeploymentContext,
  accountId: Id<'account'>,
  sha256: string,
): Promise<Sizes> {
  const bytes = await blobs.read({ accountId, sha256 })
  const sizes: Sizes = {}
  const staged: { form: StagedBlob; encoding: Encoding }[] = []
  try {
    for (const encoding of encodings) {
      const encoded = await encode(bytes, encoding)
      if (encoded === null) continue
      const form = await blobs.stage([encoded], encoded.byteLength)
      staged.push({ form, encoding })
      sizes[encoding] = encoded.byteLength
    }
    // Under the lock, or the sweep could remove the file just before its compressed forms come to lie beside it.
    return await database.write(async (tx) => {
      await lock(database, tx, uploadsLock(accountId))
      const [row] = await findBlobs(tx, accountId, [sha256])
      if (row === undefined) return {}
      for (const { form, encoding } of staged) await form.commit({ accountId, sha256, encoding })
      await setEncoded(tx, accountId, [{ sha256, encoded: JSON.stringify(sizes) }])
      return sizes
    })
  } finally {
    for (const { form } of staged) await form.discard()
  }
}

/** Under the lock again: a manifest written after the sweep removed it would stay for ever. */
async function publishEncodings(
  { database, blobs, changes, now }: DeploymentContext,
  deployment: DeploymentRow,
  manifest: Manifest,
  known: ReadonlyMap<string, Sizes>,
): Promise<void> {
  const files = new Map<string, ManifestFile>()
  for (const [path, file] of manifest) {
    const encoded = known.get(file.sha256)
    files.set(path, encoded === undefined ? file : { ...file, encoded })
  }
  await database.write(async (tx) => {
    await lock(database, tx, uploadsLock(deployment.account_id))
    const project = await lockProject(database, tx, deployment.project_id)
    if (project === undefined || (await findDeployment(tx, deployment.id)) === undefined) return
    await writeManifest(blobs, deployment.id, files)
    await updateDeployment(tx, deployment.id, { encoded_at: now() })
    await changes.record(tx, { kind: 'project', subject: project.slug })
  })
}
