import type { BlobStore } from '../../blobs/blob-store.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import { type Manifest, sizesOf } from '../manifest.ts'
import { readManifest } from '../manifest-document.ts'
import type { CompleteManifest } from './complete-manifest.ts'

/** See `announceFiles`. */
export interface AnnouncedFiles {
  manifest: Manifest
  complete?: CompleteManifest
  isNew: boolean
}

interface Kept extends AnnouncedFiles {
  /** Set when first needed: not if nothing is uploaded. */
  sizes?: ReadonlyMap<string, number>
}

/** All manifests together. A file takes about 600 bytes. */
const maxFiles = 60_000

/** Manifests of current uploads. They are the same on disk until the upload is finalized. */
export class AnnouncedManifests {
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>()
  readonly #load: (deploymentId: string) => Promise<Kept | null>
  #files = 0

  constructor(blobs: Pick<BlobStore, 'readDocument'>) {
    this.#load = singleFlight(async (deploymentId) => {
      const manifest = await readManifest(blobs, deploymentId)
      return manifest && this.keep(deploymentId, { manifest, isNew: false })
    })
  }

  keep(deploymentId: string, files: AnnouncedFiles): Kept {
    this.forget(deploymentId)
    const kept: Kept = { ...files }
    this.#kept.set(deploymentId, kept)
    this.#files += kept.manifest.size
    for (const oldest of this.#kept.keys()) if (this.#files > maxFiles) this.forget(oldest)
    return kept
  }

  forget(deploymentId: string): void {
    this.#files -= this.#kept.get(deploymentId)?.manifest.size ?? 0
    this.#kept.delete(deploymentId)
  }

  /** Null if the upload was cancelled. */
  async find(deploymentId: string): Promise<Kept | null> {
    const kept = this.#kept.get(deploymentId)
    if (kept === undefined) return this.#load(deploymentId)
    this.#kept.delete(deploymentId)
    this.#kept.set(deploymentId, kept)
    return kept
  }

  /** By digest. Null if the upload was cancelled, or is an archive. */
  async sizesOf(deploymentId: string): Promise<ReadonlyMap<string, number> | null> {
    const found = await this.find(deploymentId)
    if (found === null) return null
    found.sizes ??= sizesOf(found.manifest)
    return found.sizes
  }
}
