import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../kernel/problem.ts'
import type { ArchiveEntry, ArchiveUpload, LeaveOutEntry } from './archive.ts'
import { gunzip } from './gunzip.ts'
import { Intake, maxEntries, type Received } from './intake.ts'
import { readTar } from './tar.ts'
import { readZip } from './zip.ts'

/**
 * Writes a body to disk for random access. The file is unlinked immediately, so that closing it, or a crash, removes
 * it.
 */
async function spool(body: AsyncIterable<Uint8Array>, folder: string, maxBytes: number): Promise<FileHandle> {
  const path = join(folder, `spool-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    let size = 0
    for await (const chunk of body) {
      size += chunk.byteLength
      if (size > maxBytes) {
        throw new Problem('deployment_too_large', `The archive is larger than ${maxBytes} bytes.`)
      }
      await file.writeFile(chunk)
    }
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Reads an archive from an untrusted client and stages every file. Leaves nothing behind on failure: a bad archive
 * throws a Problem, an aborted body its own error.
 */
export async function receiveArchive(upload: ArchiveUpload): Promise<Received> {
  const intake = new Intake(upload)
  try {
    const entries = (upload.format === 'zip' ? readSpooledZip : readAnyTar)(upload, intake.leaveOut)
    for await (const entry of entries) {
      const taken = intake.take(entry)
      if (taken instanceof Promise) await taken
    }
    return await intake.finish()
  } catch (error) {
    await intake.discard()
    throw error
  }
}

function readAnyTar(
  { body, format, limits }: ArchiveUpload,
  leaveOut: LeaveOutEntry,
): AsyncGenerator<ArchiveEntry, void> {
  // Headers, padding and folders count too, or they could be used for a bomb.
  const maxBytes = limits.bytesPerDeployment + maxEntries(limits) * 8192 + 16 * 1024 ** 2
  return readTar(limitBytes(maxBytes, format === 'tar' ? body : gunzip(body)), leaveOut)
}

async function* limitBytes(
  bytes: number,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let left = bytes
  for await (const chunk of source) {
    left -= chunk.byteLength
    if (left < 0)
      throw new Problem('deployment_too_large', `The archive unpacks to more than ${bytes} bytes.`)
    yield chunk
  }
}

async function* readSpooledZip(
  { body, blobs, limits, spoolFolder }: ArchiveUpload,
  leaveOut: LeaveOutEntry,
): AsyncGenerator<ArchiveEntry, void> {
  const arriving = blobs.whileSpaceIsLeft?.(body) ?? body
  const file = await spool(arriving, spoolFolder, limits.bytesPerDeployment)
  try {
    yield* readZip(file, { leaveOut, maxEntryCount: maxEntries(limits) })
  } finally {
    await file.close()
  }
}
