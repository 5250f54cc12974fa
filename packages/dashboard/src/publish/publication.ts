import type { Client } from '@masthead/client/client.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { filesToShow, OutgoingFile, progressOf } from './progress.ts'
import type { PublicationStep, PublicationView } from './publication-view.ts'
import type { SiteUpload } from './site.ts'
import { ArchivePublishing, FilesFailed, FolderPublishing, type FolderTarget } from './upload-site.ts'

const filesShown = 8
/** A page with twenty thousand files would otherwise draw as often. */
const redrawEvery = 100

export interface PublicationTarget extends Pick<FolderTarget, 'clientTelling' | 'project' | 'goLive'> {
  /** Whose requests outlive the page. */
  partingClient: Client
}

/** One site on its way to a project. */
export class Publication {
  readonly #kind: SiteUpload['kind']
  readonly #publishing: FolderPublishing | ArchivePublishing
  readonly #target: PublicationTarget
  readonly #listeners = new Set<() => void>()
  #stop = new AbortController()
  #step: PublicationStep = 'hashing'
  #error: unknown = null
  #deployment: Deployment | null = null
  #view: PublicationView
  #redraw: ReturnType<typeof setTimeout> | null = null

  constructor(site: SiteUpload, target: PublicationTarget) {
    this.#kind = site.kind
    this.#target = target
    this.#publishing =
      site.kind === 'archive'
        ? new ArchivePublishing(site)
        : new FolderPublishing(site.files.map((file) => new OutgoingFile(file)))
    this.#view = this.#look()
  }

  get view(): PublicationView {
    return this.#view
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Starts it, or goes on where it failed. */
  async run(): Promise<void> {
    this.#stop = new AbortController()
    this.#error = null
    const { signal } = this.#stop
    const step = (next: PublicationStep) => this.#goTo(next)
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
      this.#error = error instanceof FilesFailed ? null : error
      step(signal.aborted ? 'cancelled' : 'failed')
    }
  }

  cancel(): void {
    this.#stop.abort()
  }

  /** Leaves nothing unfinished on the server. */
  async abandon(): Promise<void> {
    this.#stop.abort()
    const { partingClient, project } = this.#target
    // No harm is done where this is lost: the server gives up such uploads after a day.
    await this.#publishing.abandon(partingClient, project).catch(() => {})
  }

  #goTo(step: PublicationStep): void {
    this.#step = step
    this.#draw()
  }

  #drawSoon(): void {
    this.#redraw ??= setTimeout(() => this.#draw(), redrawEvery)
  }

  #draw(): void {
    if (this.#redraw !== null) clearTimeout(this.#redraw)
    this.#redraw = null
    this.#view = this.#look()
    for (const listener of this.#listeners) listener()
  }

  #look(): PublicationView {
    const { files } = this.#publishing
    return {
      step: this.#step,
      kind: this.#kind,
      progress: progressOf(files),
      shown: filesToShow(files, filesShown).map((file) => ({ ...file })),
      error: this.#error,
      deployment: this.#deployment,
      goesLive: this.#target.goLive,
    }
  }
}
