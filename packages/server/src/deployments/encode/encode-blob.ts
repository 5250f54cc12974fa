import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { StagedBlob } from '../../blobs/blob-store.ts'
import { lock } from '../../database/database.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { findBlobs, setEncoded } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { type Encoding, encodings, type ManifestFile, quickEncoding } from '../manifest.ts'
import { encode } from './encode.ts'

export type EncodedSizes = ManifestFile['encoded'] & {}

const pieceBytes = 256 * 1024

/**
 * Makes the compressed forms of one file that are still missing: the quick one, or all. A form that exists is never
 * replaced, since an edge may be sending it and has told its length.
 */
export async function encodeBlob(
  { database, blobs }: DeploymentContext,
  { accountId, sha256, had, best }: EncodeInput,
): Promise<EncodedSizes> {
  const wanted = encodings.filter((encoding) => (encoding === quickEncoding ? had === null : best))
  const bytes = await blobs.read({ accountId, sha256 })
  const sizes: EncodedSizes = { ...had }
  const staged: { form: StagedBlob; encoding: Encoding }[] = []
  try {
    for (const encoding of wanted) {
      const encoded = await encode(bytes, encoding)
      if (encoded === null) continue
      const form = await blobs.stage(inPieces(encoded), encoded.byteLength)
      staged.push({ form, encoding })
      sizes[encoding] = encoded.byteLength
    }
    // Under the lock, or the sweep could remove the file just before its compressed forms come to lie beside it.
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
  /** The forms that exist; null: none was tried. */
  had: EncodedSizes | null
  /** Whether all forms are made, or only the quick one. */
  best: boolean
}

/** Written and hashed a little at a time: others wait for the thread meanwhile. */
function* inPieces(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
    yield bytes.subarray(start, start + pieceBytes)
  }
}
