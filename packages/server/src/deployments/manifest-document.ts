import type { BlobStore } from '../blobs/blob-store.ts'
import { parseJson } from '../kernel/parse-json.ts'
import type { Manifest, ManifestFile } from './manifest.ts'

interface ManifestDocument {
  version: 1
  files: Record<string, ManifestFile>
}

/** Stored next to the blobs, so that sites can be loaded while the database is down. */
export async function writeManifest(
  blobs: BlobStore,
  deploymentId: string,
  manifest: Manifest,
): Promise<void> {
  const document: ManifestDocument = { version: 1, files: Object.fromEntries(manifest) }
  await blobs.writeDocument(documentName(deploymentId), Buffer.from(JSON.stringify(document)))
}

export async function readManifest(
  blobs: Pick<BlobStore, 'readDocument'>,
  deploymentId: string,
): Promise<Manifest | null> {
  const text = await blobs.readDocument(documentName(deploymentId))
  if (text === null) return null
  const document = (await parseJson(text)) as ManifestDocument
  return new Map(Object.entries(document.files))
}

export async function removeManifest(blobs: BlobStore, deploymentId: string): Promise<void> {
  await blobs.removeDocument(documentName(deploymentId))
}

function documentName(deploymentId: string): string {
  return `manifests/${deploymentId}.json`
}
