import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { unlessMissing } from '../missing.ts'
import type { CacheFolder } from './cache-folder.ts'

/** What a file takes on most disks, however small. */
const blockBytes = 4096
const atOnce = 4
/** A site needs its manifest before any file, and reads it far less often than it is in use. */
const documentAgeFactor = 1 / 16
/** Buckets for each doubling of the age. Their number does not grow with that of the files. */
const bucketsPerDoubling = 16

export function bytesOnDisk(size: number): number {
  return Math.max(1, Math.ceil(size / blockBytes)) * blockBytes
}

export interface Freed {
  files: number
  bytes: number
  /** What is left. */
  total: number
}

/**
 * Removes files until those left have at most `target(total)` bytes, the least recently used first. Looks through the
 * folder twice, to learn how old is too old and to remove that, so that it holds no list of all files.
 */
export async function evict(folder: CacheFolder, target: (total: number) => number): Promise<Freed> {
  const now = Date.now()
  const ages = new AgeHistogram()
  await forEachFile(folder, async ({ path, weight }) => {
    const found = await unlessMissing(stat(path), null)
    if (found !== null) ages.add((now - found.mtimeMs) * weight, bytesOnDisk(found.size))
  })
  const { total } = ages
  const excess = total - target(total)
  const freed = { files: 0, bytes: 0 }
  if (excess <= 0) return { ...freed, total }
  const oldest = ages.oldest(excess)
  await forEachFile(folder, async ({ path, weight }) => {
    const found = await unlessMissing(stat(path), null)
    if (found === null) return
    const bytes = bytesOnDisk(found.size)
    if (!oldest.take((now - found.mtimeMs) * weight, bytes)) return
    await folder.remove(path)
    freed.files++
    freed.bytes += bytes
  })
  return { ...freed, total: total - freed.bytes }
}

interface CacheEntry {
  path: string
  weight: number
}

async function forEachFile(folder: CacheFolder, visit: (entry: CacheEntry) => Promise<void>): Promise<void> {
  const roots: [string, number][] = [
    ['content', 1],
    ['documents', documentAgeFactor],
  ]
  for (const [name, weight] of roots) {
    const root = join(folder.root, name)
    const shards = await unlessMissing(foldersIn(root), [])
    await forEachConcurrently(shards, atOnce, async (shard) => {
      const entries = await unlessMissing(opendir(shard), null)
      if (entries === null) return
      for await (const entry of entries) {
        if (entry.isFile()) await visit({ path: join(shard, entry.name), weight })
      }
    })
  }
}

async function foldersIn(root: string): Promise<string[]> {
  const folders: string[] = []
  for await (const entry of await opendir(root)) if (entry.isDirectory()) folders.push(join(root, entry.name))
  return folders
}

/** How many bytes were last used how long ago. */
export class AgeHistogram {
  readonly #bytes = new Map<number, number>()
  total = 0

  add(age: number, bytes: number): void {
    const bucket = bucketOf(age)
    this.#bytes.set(bucket, (this.#bytes.get(bucket) ?? 0) + bytes)
    this.total += bytes
  }

  /** Decides for each file whether it is among the oldest that have this many bytes. */
  oldest(excess: number): { take(age: number, bytes: number): boolean } {
    let left = excess
    let limit = Number.POSITIVE_INFINITY
    for (const [bucket, bytes] of [...this.#bytes].sort(([a], [b]) => b - a)) {
      limit = bucket
      if (bytes >= left) break
      left -= bytes
    }
    return {
      take(age, bytes) {
        const bucket = bucketOf(age)
        if (bucket > limit) return true
        if (bucket < limit || left <= 0) return false
        left -= bytes
        return true
      },
    }
  }
}

function bucketOf(age: number): number {
  return age <= 1 ? 0 : Math.ceil(Math.log2(age) * bucketsPerDoubling)
}
