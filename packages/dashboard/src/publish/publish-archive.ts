import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { FileProgress } from './progress.ts'
import type { FolderTarget } from './publish-folder.ts'
import type { ArchiveSite } from './site.ts'

/** Sends an archive in one request; the server unpacks it. */
export class ArchivePublishing {
  readonly #site: ArchiveSite
  readonly #progress: FileProgress
  readonly files: readonly FileProgress[]

  constructor(site: ArchiveSite) {
    this.#site = site
    this.#progress = {
      path: `/${site.name}`,
      size: site.file.size,
      state: 'waiting',
      underWay: 0,
      fault: null,
    }
    this.files = [this.#progress]
  }

  async publish({ clientTelling, project, signal, changed, step }: FolderTarget): Promise<Deployment> {
    const progress = this.#progress
    const client = clientTelling((fraction) => {
      progress.underWay = progress.size * fraction
      if (fraction === 1) step('finishing')
      changed()
    })
    step('sending')
    Object.assign(progress, { state: 'sending', underWay: 0 })
    const { file, type } = this.#site
    try {
      const deployment = await client.createDeployment({ params: { project }, archive: file, type, signal })
      progress.state = 'sent'
      return deployment
    } catch (error) {
      progress.state = 'waiting'
      throw error
    }
  }
}
