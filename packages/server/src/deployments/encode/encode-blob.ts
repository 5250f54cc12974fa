import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { StagedBlob } from '../../blobs/blob-store.ts'
import { lock } from '../../database/database.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { findBlobs, setEncoded } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { type EncodedSizes, type Encoding, encodings, isEncodableSize, quickEncoding } from '../manifest.ts'
import { type DeploymentRow, findDeployment } from '../store.ts'
import { encode } from './encode.ts'

/** Files whose forms are sent at the same time. */
const maxConcurrent = 8
const chunkBytes = 256 * 1024

/** Compressed forms that are staged. */
export interface EncodedBlob {
  sha256: string
  sizes: EncodedSizes
  forms: { staged: StagedBlob; encoding: Encoding }[]
}

/**
 * Creates the missing compressed forms of one file: the quick one, or all. Never replaces an existing form, because an
 * edge may be sending it and has announced its length.
 */
export async function encodeBlob(
  { blobs }: Pick<DeploymentContext, 'blobs'>,
  { accountId, sha256, size, existing, best }: EncodeInput,
): Promise<EncodedBlob> {
  if (!isEncodableSize(size)) return { sha256, sizes: { ...existing }, forms: [] }
  const wanted = encodings.filter((encoding) => (encoding === quickEncoding ? existing === null : best))
  const bytes = await blobs.read({ accountId, sha256 })
  const sizes: EncodedSizes = { ...existing }
  const forms: EncodedBlob['forms'] = []
  try {
    for (const encoding of wanted) {
      const encoded = await encode(bytes, encoding)
      if (encoded === null) continue
      forms.push({ staged: await blobs.stage(inChunks(encoded), encoded.byteLength), encoding })
      sizes[encoding] = encoded.byteLength
    }
  } catch (error) {
    await discardForms([{ forms }])
    throw error
  }
  return { sha256, sizes, forms }
}

/** Commits the forms of many files at once, and returns their sizes: none for a file that was removed meanwhile. */
export async function commitEncoded(
  { database }: Pick<DeploymentContext, 'database'>,
  { id, account_id: accountId }: Pick<DeploymentRow, 'id' | 'account_id'>,
  encoded: readonly EncodedBlob[],
  best: boolean,
): Promise<Map<string, EncodedSizes>> {
  try {
    await forEachConcurrently(encoded, maxConcurrent, async ({ sha256, forms }) => {
      for (const { staged, encoding } of forms) await staged.send({ accountId, sha256, encoding })
    })
    return await database.write(async (tx) => {
      await lock(database, tx, uploadsLock(accountId))
      // While the deployment exists, the sweep removes none of its files and of the forms that were sent.
      const isThere = (await findDeployment(tx, id)) !== undefined
      const digests = isThere ? encoded.map(({ sha256 }) => sha256) : []
      const rows = new Set((await findBlobs(tx, accountId, digests)).map(({ sha256 }) => sha256))
      const known = new Map<string, EncodedSizes>()
      for (const { sha256, sizes, forms } of encoded) {
        known.set(sha256, rows.has(sha256) ? sizes : {})
        if (!rows.has(sha256)) continue
        for (const { staged, encoding } of forms) await staged.commit({ accountId, sha256, encoding })
        await setEncoded(tx, accountId, {
          sha256,
          encoded: JSON.stringify(sizes),
          encoded_best: best ? 1 : 0,
        })
      }
      return known
    })
  } finally {
    await discardForms(encoded)
  }
}

async function discardForms(encoded: readonly Pick<EncodedBlob, 'forms'>[]): Promise<void> {
  for (const { forms } of encoded) for (const { staged } of forms) await staged.discard()
}

export interface EncodeInput {
  accountId: Id<'account'>
  sha256: string
  size: number
  /** The existing forms; null: none was tried. */
  existing: EncodedSizes | null
  /** All forms, or only the quick one. */
  best: boolean
}

/** In chunks, so that hashing does not block the thread for long. */
function* inChunks(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.byteLength; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes)
  }
}
