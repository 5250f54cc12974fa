import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { OutgoingFile } from './outgoing-file.ts'
import { filesToShow, progressOf } from './progress.ts'
import type { PublicationStep, PublicationView } from './publication-view.ts'
import { ArchivePublishing } from './publish-archive.ts'
import { FilesFailed, FolderPublishing, type FolderTarget } from './publish-folder.ts'
import type { Site } from './site.ts'

const filesShown = 8
/** A page with twenty thousand files would otherwise draw as often. */
const redrawEvery = 100
/** Hashing is quick beside sending. */
const hashShare = 0.2

/** One site on its way to a project. */
export class Publication {
  readonly #kind: Site['kind']
  readonly #publishing: FolderPublishing | ArchivePublishing
  readonly #target: Pick<FolderTarget, 'clientTelling' | 'project'>
  readonly #listeners = new Set<() => void>()
  #stop = new AbortController()
  #step: PublicationStep = 'hashing'
  #error: unknown = null
  #deployment: Deployment | null = null
  #view: PublicationView
  #redraw: ReturnType<typeof setTimeout> | null = null

  constructor(site: Site, target: Pick<FolderTarget, 'clientTelling' | 'project'>) {
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
      this.#error = error instanceof FilesFailed ? null : error
      step(signal.aborted ? 'cancelled' : 'failed')
    }
  }

  cancel(): void {
    this.#stop.abort()
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
      progress: progressOf(files, this.#kind === 'folder' ? hashShare : 0),
      shown: filesToShow(files, filesShown).map((file) => ({ ...file })),
      error: this.#error,
      deployment: this.#deployment,
    }
  }
}
