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

  /** The server forgets an archive that breaks off. */
  async abandon(): Promise<void> {}

  async publish(target: FolderTarget): Promise<Deployment> {
    const { clientTelling, project, signal, changed, step, goLive } = target
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
      const query = { activate: 'false' } as const
      const sent = await client.createDeployment({ params: { project }, query, archive: file, type, signal })
      progress.state = 'sent'
      // What is in it is known only now: what looks like a mistake waits for a person to say so.
      if (!goLive || sent.diagnostics.length > 0) return sent
      return await client.activateDeployment({ params: { project, deployment: sent.id }, signal })
    } catch (error) {
      progress.state = 'waiting'
      throw error
    }
  }
}
