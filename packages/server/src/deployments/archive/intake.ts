import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { LeftOut } from '@masthead/contract/schemas/deployment.ts'
import type { StagedBlob } from '../../blobs/blob-store.ts'
import { Problem } from '../../kernel/problem.ts'
import { deploymentEmpty, LeftOutFiles } from '../left-out.ts'
import type { ManifestFile } from '../manifest.ts'
import { maxFolders, PathSet, publishablePath, quoted } from '../paths.ts'
import { type ArchiveEntry, type ArchiveFile, type ArchiveUpload, siteRootOf } from './archive.ts'
import { StagingArea } from './staging-area.ts'

export interface Received {
  files: Map<string, ManifestFile>
  /** One per distinct content. */
  staged: StagedBlob[]
  leftOut: LeftOut
}

export function maxEntries(limits: UploadLimits): number {
  return limits.files * 2 + 1000
}

/** Checks the entries of one archive against the rules for paths and the limits, and stages their contents. */
export class Intake {
  readonly #limits: UploadLimits
  readonly #admits: ArchiveUpload['admits']
  readonly #staging: StagingArea
  readonly #paths: PathSet
  readonly #leftOut = new LeftOutFiles()
  readonly #files = new Map<string, ManifestFile>()
  #entries = 0
  #bytes = 0

  constructor(upload: ArchiveUpload) {
    this.#limits = upload.limits
    this.#admits = upload.admits
    this.#paths = new PathSet(maxFolders(upload.limits))
    this.#staging = new StagingArea(upload)
  }

  /** Counts an entry, and returns true if it must not be published. Call once per entry, before `take`. */
  readonly leaveOut = (name: string): boolean => {
    this.#entries++
    if (this.#entries > maxEntries(this.#limits)) {
      throw new Problem('too_many_files', `The archive has more than ${maxEntries(this.#limits)} entries.`)
    }
    return this.#leftOut.leaveOut(name)
  }

  /** Returns a promise only if it has to wait. */
  take(entry: ArchiveEntry): undefined | Promise<void> {
    if (entry.kind === 'file') return this.#addFile(entry)
    this.#addFolder(entry.name)
  }

  async finish(): Promise<Received> {
    await this.#staging.finish()
    const root = siteRootOf(new Set(this.#files.keys()))
    const files = new Map<string, ManifestFile>()
    for (const [path, file] of this.#files) files.set(path.slice(root.length - 1), file)
    const leftOut = this.#leftOut.below(root)
    if (files.size === 0) throw deploymentEmpty('The archive has no files', leftOut)
    return { files, staged: this.#staging.blobs, leftOut }
  }

  /** Removes everything that was staged. */
  async discard(): Promise<void> {
    await this.#staging.discard()
  }

  #addFolder(name: string): void {
    const bare = name.replace(/\/$/, '')
    if (bare !== '.') this.#paths.addFolder(publishablePath(bare))
  }

  #addFile(entry: ArchiveFile): undefined | Promise<void> {
    const path = publishablePath(entry.name)
    this.#paths.add(path)
    this.#bytes += entry.size
    this.#checkLimits(entry)
    this.#admits?.(path, entry.size)
    const staged = this.#staging.add(entry)
    const keep = (file: ManifestFile) => void this.#files.set(path, file)
    return staged instanceof Promise ? staged.then(keep) : keep(staged)
  }

  /** Checks declared sizes before reading: content never exceeds its declared size. */
  #checkLimits(entry: ArchiveFile): void {
    const { files, bytesPerFile, bytesPerDeployment } = this.#limits
    if (this.#paths.size > files) {
      throw new Problem('too_many_files', `The deployment has more than ${files} files.`)
    }
    if (entry.size > bytesPerFile) {
      throw new Problem('file_too_large', `${quoted(entry.name)} is larger than ${bytesPerFile} bytes.`)
    }
    if (this.#bytes > bytesPerDeployment) {
      throw new Problem('deployment_too_large', `The deployment is larger than ${bytesPerDeployment} bytes.`)
    }
  }
}
