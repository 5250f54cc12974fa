import type { Client } from '@masthead/client/client.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { filesToShow, OutgoingFile, progressOf } from './progress.ts'
import type { SiteUpload } from './site.ts'
import { ArchivePublishing, FilesFailedError, FolderPublishing, type FolderTarget } from './upload-site.ts'
import type { UploadStep, UploadView } from './upload-view.ts'

const filesShown = 8
/** Without it, 20,000 files would cause as many renders. */
const redrawEvery = 100

export interface UploadDestination extends Pick<FolderTarget, 'clientWithProgress' | 'project' | 'goLive'> {
  /** Its requests outlive the page. */
  keepaliveClient: Client
  /** Told why an upload stopped. */
  onError: (error: unknown) => void
}

/** The upload of a site to a project. */
export class Upload {
  readonly #kind: SiteUpload['kind']
  readonly #publishing: FolderPublishing | ArchivePublishing
  readonly #target: UploadDestination
  readonly #listeners = new Set<() => void>()
  #stop = new AbortController()
  #step: UploadStep = 'hashing'
  #error: unknown = null
  #deployment: Deployment | null = null
  #view: UploadView
  #redraw: ReturnType<typeof setTimeout> | null = null

  constructor(site: SiteUpload, target: UploadDestination) {
    this.#kind = site.kind
    this.#target = target
    this.#publishing =
      site.kind === 'archive'
        ? new ArchivePublishing(site)
        : new FolderPublishing(site.files.map((file) => new OutgoingFile(file)))
    this.#view = this.#snapshot()
  }

  get view(): UploadView {
    return this.#view
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Starts the upload, or resumes it after a failure. */
  async run(): Promise<void> {
    this.#stop = new AbortController()
    this.#error = null
    const { signal } = this.#stop
    const step = (next: UploadStep) => this.#goTo(next)
    try {
      this.#deployment = await this.#publishing.publish({
        ...this.#target,
        signal,
        step,
        changed: () => this.#drawSoon(),
      })
      step('done')
    } catch (error) {
      if (signal.aborted) await this.abandon()
      this.#error = error instanceof FilesFailedError ? null : error
      step(signal.aborted ? 'cancelled' : 'failed')
      this.#target.onError(error)
    }
  }

  cancel(): void {
    this.#stop.abort()
  }

  /** Stops, and deletes the unfinished deployment on the server. */
  async abandon(): Promise<void> {
    this.#stop.abort()
    const { keepaliveClient, project } = this.#target
    // If this fails, the server discards the upload after a day.
    await this.#publishing.abandon(keepaliveClient, project).catch(() => {})
  }

  #goTo(step: UploadStep): void {
    this.#step = step
    this.#draw()
  }

  #drawSoon(): void {
    this.#redraw ??= setTimeout(() => this.#draw(), redrawEvery)
  }

  #draw(): void {
    if (this.#redraw !== null) clearTimeout(this.#redraw)
    this.#redraw = null
    this.#view = this.#snapshot()
    for (const listener of this.#listeners) listener()
  }

  #snapshot(): UploadView {
    const { files } = this.#publishing
    return {
      step: this.#step,
      kind: this.#kind,
      progress: progressOf(files),
      shown: filesToShow(files, filesShown).map((file) => ({ ...file })),
      error: this.#error,
      deployment: this.#deployment,
      goesLive: this.#target.goLive,
      needsFolder: this.#publishing.needsFolder,
    }
  }
}
