import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { type PageRequest, readCursor, toPage } from '../../database/list-query.ts'
import { BoundedCache } from '../../kernel/cache/bounded-cache.ts'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import { readManifest } from '../manifest-document.ts'
import type { DeploymentRow } from '../store.ts'

export interface ListedFile {
  path: string
  sha256: string
  size: number
}

const maxBytes = 32 * 1024 ** 2
/** Of a file, besides its path. */
const fileBytes = 200
/** Sorted at once, which takes a few milliseconds. */
const runLength = 2_000

/** The files of deployments, sorted by path. The lists of ready ones are kept for the next page: they never change. */
export class FileLists {
  readonly #kept = new BoundedCache<ListedFile[]>(maxBytes)
  readonly #blobs: Pick<BlobStore, 'readDocument'>
  readonly #loadReady = singleFlight(async (deploymentId: string) => {
    const files = await this.#load(deploymentId)
    let bytes = 0
    for (const { path } of files) bytes += fileBytes + path.length
    // Empty: its manifest is gone.
    if (files.length > 0) this.#kept.set(deploymentId, files, bytes)
    return files
  })

  constructor(blobs: Pick<BlobStore, 'readDocument'>) {
    this.#blobs = blobs
  }

  async list(
    { id, state }: Pick<DeploymentRow, 'id' | 'state'>,
    { cursor, limit }: PageRequest,
  ): Promise<Page<ListedFile>> {
    const after = readCursor(cursor)
    const load = state === 'ready' ? this.#loadReady : (one: string) => this.#load(one)
    const files = this.#kept.get(id) ?? (await load(id))
    const start = after === undefined ? 0 : indexAfter(files, after)
    return toPage(
      files.slice(start, start + limit + 1),
      limit,
      ({ path }) => path,
      (file) => file,
    )
  }

  /** For a deployment that was deleted. */
  forget(deploymentId: string): void {
    this.#kept.delete(deploymentId)
  }

  async #load(deploymentId: string): Promise<ListedFile[]> {
    const manifest = (await readManifest(this.#blobs, deploymentId)) ?? new Map()
    const files: ListedFile[] = []
    for (const [path, { sha256, size }] of manifest) files.push({ path, sha256, size })
    return sortByPath(files)
  }
}

/** Binary search. */
function indexAfter(files: readonly ListedFile[], path: string): number {
  let low = 0
  let high = files.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((files[middle] as ListedFile).path > path) high = middle
    else low = middle + 1
  }
  return low
}

/** A merge sort with pauses for other requests. */
async function sortByPath(files: readonly ListedFile[]): Promise<ListedFile[]> {
  const slice = new TimeSlice()
  let runs: ListedFile[][] = []
  for (let start = 0; start < files.length; start += runLength) {
    await slice.pause()
    const run = files.slice(start, start + runLength)
    runs.push(run.sort((a, b) => (a.path < b.path ? -1 : 1)))
  }
  while (runs.length > 1) {
    const merged: ListedFile[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], slice))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge(
  left: readonly ListedFile[],
  right: readonly ListedFile[],
  slice: TimeSlice,
): Promise<ListedFile[]> {
  const merged: ListedFile[] = []
  let [fromLeft, fromRight] = [0, 0]
  while (merged.length < left.length + right.length) {
    if (merged.length % runLength === 0) await slice.pause()
    const [one, other] = [left[fromLeft], right[fromRight]]
    if (one !== undefined && (other === undefined || one.path < other.path)) {
      merged.push(one)
      fromLeft++
    } else if (other !== undefined) {
      merged.push(other)
      fromRight++
    }
  }
  return merged
}
