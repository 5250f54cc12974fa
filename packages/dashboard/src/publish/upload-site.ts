import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { hashFiles } from './hash-files.ts'
import type { FileProgress, OutgoingFile } from './progress.ts'
import type { PublishingStep } from './publication-view.ts'
import { type SendTarget, sendFiles } from './send-files.ts'
import type { ArchiveSite } from './site.ts'

/** Some files could not be sent; they say why. */
export class FilesFailed extends Error {
  override readonly name = 'FilesFailed'
}

export interface FolderTarget extends Pick<SendTarget, 'clientTelling' | 'signal' | 'changed'> {
  project: string
  step: (step: PublishingStep) => void
  /** Whether to serve it at once. */
  goLive: boolean
}

interface Announced {
  id: Id<'deployment'>
  /** Which contents it was announced with. */
  listing: string
}

/** Publishes files by their digests. Called again after a failure, it goes on where it stopped. */
export class FolderPublishing {
  readonly files: readonly OutgoingFile[]
  #announced: Announced | null = null

  constructor(files: readonly OutgoingFile[]) {
    this.files = files
  }

  async publish(target: FolderTarget): Promise<Deployment> {
    return this.#walk(target).catch((error) => {
      // The server no longer waits for it: the next attempt starts another.
      if (isOver(error)) this.#announced = null
      throw error
    })
  }

  /** Has the server forget what was announced and not finished. */
  async abandon(client: Client, project: string): Promise<void> {
    const deployment = this.#announced?.id
    if (deployment === undefined) return
    this.#announced = null
    for (const file of this.files) if (file.sha256 !== null) file.state = 'hashed'
    await client.deleteDeployment({ params: { project, deployment } })
  }

  async #walk(target: FolderTarget): Promise<Deployment> {
    const { clientTelling, project, signal, changed, step, goLive } = target
    const client = clientTelling(() => {})
    step('hashing')
    await hashFiles(this.files, signal, changed)
    this.#throwFailed()
    step('sending')
    const { id, missing } = await this.#announce(target)
    const params = { project, deployment: id }
    const sending = { clientTelling, params, signal, changed }
    await sendFiles(this.files, missing, sending)
    this.#throwFailed()
    step('finishing')
    const query = { activate: goLive ? 'true' : 'false' } as const
    const finalize = () => client.finalizeDeployment({ params, query, signal })
    const deployment = await finalize().catch(async (error) => {
      // What the server had when it was asked may have been cleaned up since.
      await sendFiles(this.files, stillMissing(error), sending)
      this.#throwFailed()
      return finalize()
    })
    this.#announced = null
    return deployment
  }

  /** Not broken off by a cancellation: then nobody would know what to abandon. */
  async #announce({ clientTelling, project, signal, changed }: FolderTarget) {
    const listed = this.files.flatMap(({ path, sha256, size }) =>
      sha256 === null ? [] : [[path, { sha256, size }] as const],
    )
    const listing = JSON.stringify(listed)
    if (this.#announced?.listing === listing) return { ...this.#announced, missing: this.#unsent() }
    const body = { files: Object.fromEntries(listed) }
    const { id, missing } = await clientTelling(() => {}).createDeployment({
      params: { project },
      body,
    })
    this.#announced = { id, listing }
    signal.throwIfAborted()
    const lacking = new Set(missing)
    for (const file of this.files) {
      if (file.sha256 !== null && !lacking.has(file.sha256) && file.state === 'hashed') file.state = 'there'
    }
    changed()
    return { id, missing: lacking }
  }

  #unsent(): Set<string> {
    return new Set(this.files.flatMap(({ state, sha256 }) => (state === 'hashed' && sha256) || []))
  }

  #throwFailed(): void {
    if (this.files.some(({ state }) => state === 'failed')) throw new FilesFailed('Some files were not sent.')
  }
}

function isOver(error: unknown): boolean {
  return error instanceof ProblemError && ['not_found', 'deployment_finalized'].includes(error.code)
}

function stillMissing(error: unknown): Set<string> {
  const missing =
    error instanceof ProblemError && error.code === 'files_missing' ? error.document.missing : null
  if (!Array.isArray(missing)) throw error
  return new Set(missing.filter((digest) => typeof digest === 'string'))
}

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
