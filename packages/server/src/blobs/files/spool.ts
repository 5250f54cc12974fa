import { randomBytes } from 'node:crypto'
import { mkdir, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { day, hour } from '../../kernel/clock.ts'
import type { ContentBatch } from '../content-batch.ts'
import { unlessMissing } from '../missing.ts'
import type { FileThread } from './file-thread.ts'
import { type Written, writeDurably } from './write-durably.ts'

/** No request takes that long, so no upload uses a file that was last written before. */
const maxAge = day
/** For fewer files the thread is not worth starting. */
export const minForThread = 16

export interface SpooledFile extends Written {
  path: string
}

/** A folder of hashed files that have no name yet. */
export interface Spool {
  newPath(): string
  write(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<SpooledFile>
  /** All or none. The batch cannot be used afterwards. */
  writeAll(batch: ContentBatch): Promise<SpooledFile[]>
}

export async function openSpool(folder: string, thread: FileThread): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeStale(folder)
  setInterval(() => removeStale(folder).catch(() => {}), hour).unref()
  const session = randomBytes(8).toString('hex')
  let files = 0
  const newPath = () => join(folder, `${session}-${++files}`)

  const write: Spool['write'] = async (source, maxBytes) => {
    const path = newPath()
    return { path, ...(await writeDurably(path, source, maxBytes)) }
  }
  return {
    newPath,
    write,
    async writeAll(batch) {
      const { contents, bytes } = batch
      if (contents.length < minForThread) {
        const written = await Promise.allSettled(
          contents.map((content) => write([batch.contentOf(content)], content.size)),
        )
        return allOrNone(written)
      }
      const files = contents.map(({ sha256, start, size }) => ({ path: newPath(), sha256, start, size }))
      await thread.run({
        kind: 'write',
        bytes,
        files: files.map(({ path, start, size }) => ({ path, start, size })),
      })
      return files.map(({ path, sha256, size }) => ({ path, sha256, size }))
    },
  }
}

async function allOrNone(attempts: PromiseSettledResult<SpooledFile>[]): Promise<SpooledFile[]> {
  const written = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
  const failed = attempts.find((attempt) => attempt.status === 'rejected')
  if (failed === undefined) return written
  for (const { path } of written) await unlessMissing(unlink(path), undefined)
  throw failed.reason
}

/**
 * Removes what a disk that failed left behind, or a crash beside other processes. What cannot be removed is tried again
 * in an hour.
 */
async function removeStale(folder: string): Promise<void> {
  const before = Date.now() - maxAge
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const removed = stat(path).then(({ mtimeMs }) => (mtimeMs < before ? unlink(path) : undefined))
    await removed.catch(() => {})
  }
}
