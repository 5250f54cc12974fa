import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { StagedBlob } from '../../blobs/blob-store.ts'
import { lock } from '../../database/database.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { findBlobs, setEncoded } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { type Encoding, encodings, type ManifestFile, quickEncoding } from '../manifest.ts'
import { encode } from './encode.ts'

export type EncodedSizes = ManifestFile['encoded'] & {}

const chunkBytes = 256 * 1024

/**
 * Creates the missing compressed forms of one file: the quick one, or all. Never replaces an existing form, because an
 * edge may be sending it and has announced its length.
 */
export async function encodeBlob(
  { database, blobs }: DeploymentContext,
  { accountId, sha256, existing, best }: EncodeInput,
): Promise<EncodedSizes> {
  const wanted = encodings.filter((encoding) => (encoding === quickEncoding ? existing === null : best))
  const bytes = await blobs.read({ accountId, sha256 })
  const sizes: EncodedSizes = { ...existing }
  const staged: { form: StagedBlob; encoding: Encoding }[] = []
  try {
    for (const encoding of wanted) {
      const encoded = await encode(bytes, encoding)
      if (encoded === null) continue
      const form = await blobs.stage(inChunks(encoded), encoded.byteLength)
      staged.push({ form, encoding })
      sizes[encoding] = encoded.byteLength
    }
    // Under the lock, or the sweep could remove the file just before its compressed forms are added.
    return await database.write(async (tx) => {
      await lock(database, tx, uploadsLock(accountId))
      const [row] = await findBlobs(tx, accountId, [sha256])
      if (row === undefined) return {}
      for (const { form, encoding } of staged) await form.commit({ accountId, sha256, encoding })
      const encoded = JSON.stringify(sizes)
      await setEncoded(tx, accountId, { sha256, encoded, encoded_best: best ? 1 : 0 })
      return sizes
    })
  } finally {
    for (const { form } of staged) await form.discard()
  }
}

export interface EncodeInput {
  accountId: Id<'account'>
  sha256: string
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
