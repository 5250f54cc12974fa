import { hash } from 'node:crypto'
import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { LeftOut } from '@masthead/contract/schemas/deployment.ts'
import type { BlobStore, StagedBlob } from '../../blobs/blob-store.ts'
import { Problem } from '../../kernel/problem.ts'
import { deploymentEmpty, LeftOutFiles } from '../left-out.ts'
import type { ManifestFile } from '../manifest.ts'
import { PathSet, publishablePath, quoted } from '../paths.ts'
import { type ArchiveEntry, type ArchiveFile, type ArchiveUpload, siteRootOf } from './archive.ts'

/**
 * Files up to this size are read into memory and written in the background, several at a time, while reading continues.
 */
const maxBufferedBytes = 256 * 1024
const maxConcurrentWrites = 8

export interface Received {
  files: Map<string, ManifestFile>
  /** One per distinct content. */
  staged: StagedBlob[]
  leftOut: LeftOut
}

export function maxEntries(limits: UploadLimits): number {
  return limits.files * 2 + 1000
}

/** Checks the entries of one archive against the limits and stages their contents. */
export class Intake {
  readonly #limits: UploadLimits
  readonly #blobs: BlobStore
  readonly #admits: ArchiveUpload['admits']
  readonly #space: ArchiveUpload['space']
  readonly #held: ArchiveUpload['held']
  readonly #paths = new PathSet()
  readonly #leftOut = new LeftOutFiles()
  readonly #files = new Map<string, ManifestFile>()
  readonly #staged = new Map<string, StagedBlob>()
  /** Digests of small files that are staged or being staged. */
  readonly #known = new Set<string>()
  /** Digests of staged files that the account did not have when we checked. */
  readonly #unheld = new Set<string>()
  readonly #writes = new Set<Promise<void>>()
  #failure: { error: unknown } | null = null
  #entries = 0
  #bytes = 0

  constructor({ limits, blobs, admits, space, held }: ArchiveUpload) {
    this.#limits = limits
    this.#blobs = blobs
    this.#admits = admits
    this.#space = space
    this.#held = held
  }

  /** Whether to skip an entry. Call once per entry, before `take`. */
  readonly skips = (name: string): boolean => {
    this.#entries++
    if (this.#entries > maxEntries(this.#limits)) {
      throw new Problem('too_many_files', `The archive has more than ${maxEntries(this.#limits)} entries.`)
    }
    return this.#leftOut.leaveOut(name)
  }

  async take(entry: ArchiveEntry): Promise<void> {
    if (entry.kind === 'folder') this.#addFolder(entry.name)
    else await this.#addFile(entry)
  }

  async finish(): Promise<Received> {
    await Promise.all(this.#writes)
    this.#throwFailure()
    const root = siteRootOf(new Set(this.#files.keys()))
    const files = new Map<string, ManifestFile>()
    for (const [path, file] of this.#files) {
      const published = path.slice(root.length - 1)
      if (!(root !== '/' && this.#leftOut.leaveOut(published))) files.set(published, file)
    }
    const leftOut = this.#leftOut.below(root)
    if (files.size === 0) throw deploymentEmpty('The archive has no files', leftOut)
    await this.#discardUnused(files)
    return { files, staged: [...this.#staged.values()], leftOut }
  }

  /** Files at the root of a folder are left out if that folder turns out to be the site. */
  async #discardUnused(files: ReadonlyMap<string, ManifestFile>): Promise<void> {
    if (files.size === this.#files.size) return
    const named = new Set(Array.from(files.values(), ({ sha256 }) => sha256))
    for (const [sha256, blob] of this.#staged) {
      if (named.has(sha256)) continue
      await blob.discard()
      this.#staged.delete(sha256)
    }
  }

  /** Removes everything that was staged. */
  async discard(): Promise<void> {
    await Promise.all(this.#writes)
    await Promise.allSettled([...this.#staged.values()].map((blob) => blob.discard()))
  }

  #addFolder(name: string): void {
    const bare = name.replace(/\/$/, '')
    if (bare !== '.') this.#paths.addFolder(publishablePath(bare))
  }

  async #addFile(entry: ArchiveFile): Promise<void> {
    const path = publishablePath(entry.name)
    this.#paths.add(path)
    this.#bytes += entry.size
    this.#checkLimits(entry)
    this.#admits?.(path, entry.size)
    if (entry.size > maxBufferedBytes) {
      await this.#takeSpace(entry.size)
      await this.#stage(path, entry.content)
    } else await this.#stageWhole(path, await readAll(entry.content))
  }

  async #stageWhole(path: string, content: Uint8Array): Promise<void> {
    const sha256 = hash('sha256', content)
    if (this.#known.has(sha256)) {
      this.#files.set(path, { sha256, size: content.byteLength })
      return
    }
    this.#known.add(sha256)
    if (!(await this.#hasSpaceFor(sha256, content.byteLength))) {
      this.#files.set(path, { sha256, size: content.byteLength })
      return
    }
    while (this.#writes.size >= maxConcurrentWrites) await Promise.race(this.#writes)
    this.#throwFailure()
    const write = this.#stage(path, [content])
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#writes.delete(write))
    this.#writes.add(write)
  }

  /** If storage is short, files that the account already has are not stored again; false for such a file. */
  async #hasSpaceFor(sha256: string, bytes: number): Promise<boolean> {
    try {
      await this.#takeSpace(bytes)
      return true
    } catch (error) {
      if ((await this.#held?.([sha256]))?.length === 1) return false
      throw error
    }
  }

  async #takeSpace(bytes: number): Promise<void> {
    const space = this.#space
    await space?.take(bytes).catch(async (error: unknown) => {
      if (!(error instanceof Problem && error.code === 'storage_full')) throw error
      if ((await this.#discardHeld()) === 0) throw error
      await space.take(bytes)
    })
  }

  /** Releases the space of files that the account already has. Nothing is swept during an upload, so they stay. */
  async #discardHeld(): Promise<number> {
    await Promise.all(this.#writes)
    const unchecked = [...this.#staged.keys()].filter((digest) => !this.#unheld.has(digest))
    const held = new Set(await this.#held?.(unchecked))
    let bytes = 0
    for (const digest of unchecked) {
      const blob = this.#staged.get(digest)
      if (!held.has(digest) || blob === undefined) {
        this.#unheld.add(digest)
        continue
      }
      await blob.discard()
      this.#staged.delete(digest)
      this.#space?.release(blob.size)
      bytes += blob.size
    }
    return bytes
  }

  /** Checks declared sizes before reading: content never exceeds its declared size. */
  #checkLimits(entry: ArchiveFile): void {
    const { files, bytesPerFile, bytesPerDeployment } = this.#limits
    if (this.#paths.size > files)
      throw new Problem('too_many_files', `The deployment has more than ${files} files.`)
    if (entry.size > bytesPerFile) {
      throw new Problem('file_too_large', `${quoted(entry.name)} is larger than ${bytesPerFile} bytes.`)
    }
    if (this.#bytes > bytesPerDeployment) {
      throw new Problem('deployment_too_large', `The deployment is larger than ${bytesPerDeployment} bytes.`)
    }
  }

  async #stage(path: string, content: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<void> {
    const blob = await this.#blobs.stage(content, this.#limits.bytesPerFile)
    this.#files.set(path, { sha256: blob.sha256, size: blob.size })
    if (this.#staged.has(blob.sha256)) {
      await blob.discard()
      this.#space?.release(blob.size)
    } else this.#staged.set(blob.sha256, blob)
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of content) parts.push(part)
  const [first] = parts
  return first && parts.length === 1 ? first : Buffer.concat(parts)
}
