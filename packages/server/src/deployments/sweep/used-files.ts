import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import type { Reader } from '../../database/database.ts'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { digestsOf, withheldFile } from '../manifest.ts'
import { readManifest } from '../manifest-document.ts'
import { type DeploymentToRead, deploymentsToRead } from '../store.ts'
import { archiveParts, digestsOfPart } from './archive-file-store.ts'

/** The files that deployments of an account need, also those that are being uploaded. */
export class UsedFiles {
  readonly #blobs: Pick<BlobStore, 'readDocument'>
  readonly #accountId: Id<'account'>
  readonly #listed = new Set<string>()
  readonly #read = new Set<Id<'deployment'>>()
  readonly #held = new Set<string>()
  readonly #readParts = new Set<string>()

  constructor(blobs: Pick<BlobStore, 'readDocument'>, accountId: Id<'account'>) {
    this.#blobs = blobs
    this.#accountId = accountId
  }

  isListed(digest: string): boolean {
    return this.#listed.has(digest)
  }

  /** Whether an arriving archive relies on the file. It may never be published. */
  isHeld(digest: string): boolean {
    return this.#held.has(digest)
  }

  /**
   * Reads what arriving archives rely on, and returns the deployments whose files are not known yet. In a transaction
   * that has the uploads lock, this is all that counts: an archive waits for removals once its manifest is written.
   */
  async unknown(db: Reader): Promise<DeploymentToRead[]> {
    const parts = await archiveParts(db, this.#accountId)
    for (const part of parts) {
      const name = `${part.deployment_id} ${part.part}`
      if (this.#readParts.has(name)) continue
      for (const digest of await digestsOfPart(db, part)) this.#held.add(digest)
      this.#readParts.add(name)
    }
    const arriving = new Set(parts.map(({ deployment_id }) => deployment_id))
    const deployments = await deploymentsToRead(db, this.#accountId)
    // A client may finalize an archive whose server was killed before it could end it.
    const isArriving = ({ id, state }: DeploymentToRead) => state === 'uploading' && arriving.has(id)
    return deployments.filter((one) => !this.#read.has(one.id) && !isArriving(one))
  }

  /**
   * Adds the files of deployments, and returns those without a manifest: uploads that were announced a moment ago, and
   * archives that an older version receives.
   */
  async add(deployments: readonly DeploymentToRead[]): Promise<DeploymentToRead[]> {
    const slice = new TimeSlice()
    const unlisted: DeploymentToRead[] = []
    for (const deployment of deployments) {
      const { id, state } = deployment
      await slice.pause()
      const manifest = await readManifest(this.#blobs, id)
      if (manifest === null && state === 'ready')
        throw new Error(`The manifest of ${id} is missing, so we don't know which files it needs`)
      if (manifest === null) {
        unlisted.push(deployment)
        continue
      }
      for (const digest of digestsOf(manifest)) this.#listed.add(digest)
      // Finalizing may put it in the place of others. Nothing else is added to an announced manifest.
      this.#listed.add(withheldFile.sha256)
      this.#read.add(id)
    }
    return unlisted
  }
}
