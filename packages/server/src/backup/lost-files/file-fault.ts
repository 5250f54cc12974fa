import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import type { BlobKey, BlobStore } from '../../blobs/blob-store.ts'
import { isOtherContent } from '../../blobs/s3/s3-error.ts'
import { digestContent, isMissing, readContent } from '../files/read-content.ts'

export type FileFault = 'missing' | 'damaged'

const decompressors = {
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
  gzip: createGunzip,
} as const

/** Of decompression, and of a disk that cannot read the file. */
const damageCodes = /^(Z_|ERR_|ZSTD_|EIO$)/

/** Reads a file; a compressed form must have the content that it is stored under. */
export async function contentFault(store: BlobStore, key: BlobKey): Promise<FileFault | null> {
  const { encoding, sha256 } = key
  try {
    const stored = readContent(store, key)
    const found =
      encoding === undefined
        ? await digestContent(stored)
        : await pipeline(stored, decompressors[encoding](), digestContent)
    return found.sha256 === sha256 ? null : 'damaged'
  } catch (error) {
    if (isMissing(error)) return 'missing'
    if (isDamage(error)) return 'damaged'
    throw error
  }
}

/** What a document says, or what is wrong with it. */
export async function readWhole<T>(
  store: Pick<BlobStore, 'readDocument'>,
  name: string,
  parse: (content: Buffer) => Promise<T>,
): Promise<{ value: T } | { fault: FileFault }> {
  const content = await store.readDocument(name).catch((error: unknown) => {
    if (isDamage(error)) return 'damaged' as const
    throw error
  })
  if (content === null) return { fault: 'missing' }
  if (content === 'damaged') return { fault: 'damaged' }
  return parse(content).then(
    (value) => ({ value }),
    () => ({ fault: 'damaged' }),
  )
}

export function isDamage(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return damageCodes.test(String(code)) || isOtherContent(error)
}
