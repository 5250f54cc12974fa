import type { Client } from '@masthead/client/client.ts'
import { ConnectionError, ProblemError, UnexpectedAnswerError } from '@masthead/client/errors.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { hashFiles } from './hash-files.ts'
import type { FileProgress, OutgoingFile } from './progress.ts'
import { type SendTarget, sendFiles } from './send-files.ts'
import type { ArchiveSite } from './site.ts'
import { type PublishingStep, UnclearOutcomeError } from './upload-view.ts'

/** Some files could not be sent. Each carries its own message. */
export class FilesFailedError extends Error {
  override readonly name = 'FilesFailedError'
}

export interface FolderTarget extends Pick<SendTarget, 'clientWithProgress' | 'signal' | 'changed'> {
  project: string
  step: (step: PublishingStep) => void
  goLive: boolean
}

interface CreatedDeployment {
  id: Id<'deployment'>
  /** The files it was created with. */
  listing: string
  /** It may be finished, so that it must not be deleted. */
  isUnclear: boolean
}

/** Uploads files by digest. Calling it again after a failure resumes the upload. */
export class FolderPublishing {
  readonly files: readonly OutgoingFile[]
  #created: CreatedDeployment | null = null

  constructor(files: readonly OutgoingFile[]) {
    this.files = files
  }

  get needsFolder(): boolean {
    return this.files.some(({ state, canReopen }) => state === 'failed' && !canReopen)
  }

  async publish(target: FolderTarget): Promise<Deployment> {
    return this.#upload(target).catch((error) => {
      // The deployment is gone or finished on the server: the next attempt creates another.
      if (isOver(error)) this.#created = null
      throw error
    })
  }

  /** Deletes the unfinished deployment. */
  async abandon(client: Client, project: string): Promise<void> {
    if (this.#created === null || this.#created.isUnclear) return
    const { id: deployment } = this.#created
    this.#created = null
    for (const file of this.files) if (file.sha256 !== null) file.state = 'hashed'
    await client.deleteDeployment({ params: { project, deployment } })
  }

  async #upload(target: FolderTarget): Promise<Deployment> {
    const { clientWithProgress, project, signal, changed, step, goLive } = target
    const client = clientWithProgress(() => {})
    step('hashing')
    await hashFiles(this.files, signal, changed)
    this.#throwFailed()
    step('sending')
    const { id, missing } = await this.#create(target)
    const params = { project, deployment: id }
    const sending = { clientWithProgress, params, signal, changed }
    await sendFiles(this.files, missing, sending)
    this.#throwFailed()
    step('finishing')
    const query = { activate: goLive ? 'true' : 'false' } as const
    const finalize = () => client.finalizeDeployment({ params, query, signal })
    const deployment = await finalize()
      .catch(async (error) => {
        // Contents that the server had may have been deleted meanwhile.
        await sendFiles(this.files, stillMissing(error), sending)
        this.#throwFailed()
        return finalize()
      })
      .catch(async (error) => {
        const found = await outcomeAfter(error, client, { params, signal }).catch((unclear) => {
          if (this.#created !== null) this.#created.isUnclear = true
          throw unclear
        })
        if (found.state !== 'ready') throw error
        return found
      })
    this.#created = null
    return deployment
  }

  /** Not aborted by a cancellation, because its id is needed to clean up. */
  async #create({ clientWithProgress, project, signal, changed }: FolderTarget) {
    const listed = this.files.flatMap(({ path, sha256, size }) =>
      sha256 === null ? [] : [[path, { sha256, size }] as const],
    )
    const listing = JSON.stringify(listed)
    if (this.#created?.listing === listing) return { ...this.#created, missing: this.#unsent() }
    const body = { files: Object.fromEntries(listed) }
    const { id, missing } = await clientWithProgress(() => {}).createDeployment({
      params: { project },
      body,
    })
    this.#created = { id, listing, isUnclear: false }
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
    if (this.files.some(({ state }) => state === 'failed'))
      throw new FilesFailedError('Some files were not sent.')
  }
}

type Lookup = Pick<Parameters<Client['getDeployment']>[0], 'params' | 'signal'>

/** What became of the deployment if the answer to a request was lost. Other errors are thrown as they are. */
async function outcomeAfter(error: unknown, client: Client, lookup: Lookup): Promise<Deployment> {
  const isLost = error instanceof ConnectionError || error instanceof UnexpectedAnswerError
  if (!isLost || lookup.signal?.aborted) throw error
  return client.getDeployment(lookup).catch((cause) => {
    throw new UnclearOutcomeError(cause)
  })
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

/** Uploads an archive in one request; the server unpacks it. */
export class ArchivePublishing {
  readonly #site: ArchiveSite
  readonly #progress: FileProgress
  readonly files: readonly FileProgress[]
  readonly needsFolder = false
  /** Sent, but not live yet. */
  #sent: Deployment | null = null

  constructor(site: ArchiveSite) {
    this.#site = site
    this.#progress = {
      path: `/${site.name}`,
      size: site.file.size,
      state: 'waiting',
      bytesSent: 0,
      reason: null,
    }
    this.files = [this.#progress]
  }

  /** The server discards an incomplete archive. */
  async abandon(): Promise<void> {}

  async publish(target: FolderTarget): Promise<Deployment> {
    const { clientWithProgress, project, signal, step, goLive } = target
    this.#sent ??= await this.#send(target)
    const sent = this.#sent
    // Warnings are known only now: let the person decide instead of going live.
    if (!goLive || sent.diagnostics.length > 0) return sent
    step('finishing')
    const client = clientWithProgress(() => {})
    const params = { project, deployment: sent.id }
    return client.activateDeployment({ params, signal }).catch(async (error) => {
      const found = await outcomeAfter(error, client, { params, signal })
      if (!found.active) throw error
      return found
    })
  }

  async #send({ clientWithProgress, project, signal, changed, step }: FolderTarget): Promise<Deployment> {
    const progress = this.#progress
    const client = clientWithProgress((fraction) => {
      progress.bytesSent = progress.size * fraction
      if (fraction === 1) step('finishing')
      changed()
    })
    step('sending')
    Object.assign(progress, { state: 'sending', bytesSent: 0 })
    const { file, type } = this.#site
    try {
      const query = { activate: 'false' } as const
      const sent = await client.createDeployment({ params: { project }, query, archive: file, type, signal })
      progress.state = 'sent'
      return sent
    } catch (error) {
      progress.state = 'waiting'
      throw error
    }
  }
}
