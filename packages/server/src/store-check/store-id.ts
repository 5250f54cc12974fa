import { randomUUID } from 'node:crypto'
import type { BlobStore } from '../blobs/blob-store.ts'

/** No row names this document, so neither the sweep nor a backup touches it. */
const documentName = 'store-id'

export function newStoreId(): string {
  return randomUUID()
}

export async function readStoreId(store: Pick<BlobStore, 'readDocument'>): Promise<string | null> {
  return (await store.readDocument(documentName))?.toString().trim() ?? null
}

export async function writeStoreId(store: Pick<BlobStore, 'writeDocument'>, id: string): Promise<void> {
  await store.writeDocument(documentName, Buffer.from(`${id}\n`))
}
