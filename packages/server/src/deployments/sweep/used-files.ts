import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { digestsOf, withheldFile } from '../manifest.ts'
import { readManifest } from '../manifest-document.ts'
import type { DeploymentRow } from '../store.ts'

type Listed = Pick<DeploymentRow, 'id' | 'state'>

/** The files that deployments of an account need, also those that are being uploaded. */
export class UsedFiles {
  readonly digests = new Set<string>()
  readonly #blobs: Pick<BlobStore, 'readDocument'>
  readonly #read = new Set<Id<'deployment'>>()

  constructor(blobs: Pick<BlobStore, 'readDocument'>) {
    this.#blobs = blobs
  }

  /** The deployments whose files are not among `digests` yet. */
  unknownOf(deployments: readonly Listed[]): Listed[] {
    return deployments.filter(({ id }) => !this.#read.has(id))
  }

  /**
   * Adds the files of deployments, and returns whether all of them are known now. Those of an upload are not until its
   * manifest is written: at once after it was announced, or when the whole archive has arrived.
   */
  async add(deployments: readonly Listed[]): Promise<boolean> {
    const slice = new TimeSlice()
    let isComplete = true
    for (const { id, state } of deployments) {
      await slice.pause()
      const manifest = await readManifest(this.#blobs, id)
      if (manifest === null && state === 'ready')
        throw new Error(`The manifest of ${id} is missing, so we don't know which files it needs`)
      if (manifest === null) {
        isComplete = false
        continue
      }
      for (const digest of digestsOf(manifest)) this.digests.add(digest)
      // Finalizing may put it in the place of others. Nothing else is added to an announced manifest.
      this.digests.add(withheldFile.sha256)
      this.#read.add(id)
    }
    return isComplete
  }
}
