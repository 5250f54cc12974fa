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
  await blobs.writeDocument(manifestName(deploymentId), Buffer.from(documentText(manifest)))
}

/** The JSON of a ManifestDocument, without an object of thousands of members, which takes far longer. */
function documentText(manifest: Manifest): string {
  const version: ManifestDocument['version'] = 1
  const files = Array.from(manifest, ([path, file]) => `${JSON.stringify(path)}:${JSON.stringify(file)}`)
  return `{"version":${version},"files":{${files.join()}}}`
}

export async function readManifest(
  blobs: Pick<BlobStore, 'readDocument'>,
  deploymentId: string,
): Promise<Manifest | null> {
  const text = await blobs.readDocument(manifestName(deploymentId))
  return text === null ? null : parseManifest(text)
}

export async function parseManifest(text: Buffer): Promise<Manifest> {
  const document = (await parseJson(text)) as ManifestDocument
  return new Map(Object.entries(document.files))
}

export async function removeManifest(blobs: BlobStore, deploymentId: string): Promise<void> {
  await blobs.removeDocument(manifestName(deploymentId))
}

export function manifestName(deploymentId: string): string {
  return `manifests/${deploymentId}.json`
}
