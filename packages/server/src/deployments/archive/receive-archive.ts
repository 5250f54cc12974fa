import { Problem } from '../../problem.ts'
import type { ArchiveEntry, SkipsEntry } from './archive-entry.ts'
import type { ArchiveUpload } from './archive-upload.ts'
import { gunzip } from './gunzip.ts'
import { Intake, maxEntries, type Received } from './intake.ts'
import { spool } from './spool.ts'
import { readTar } from './tar.ts'
import { readZip } from './zip.ts'

/**
 * Reads an archive from an untrusted client and stages every file in it. Whatever goes wrong, nothing stays
 * behind: a bad archive ends in a Problem, a body that breaks off in the error of the body.
 */
export async function receiveArchive(upload: ArchiveUpload): Promise<Received> {
  const intake = new Intake(upload)
  try {
    const entries = (upload.format === 'zip' ? spooledZip : packedTar)(upload, intake.skips)
    for await (const entry of entries) await intake.take(entry)
    return await intake.finish()
  } catch (error) {
    await intake.discard()
    throw error
  }
}

function packedTar({ body, limits }: ArchiveUpload, skips: SkipsEntry): AsyncGenerator<ArchiveEntry, void> {
  // Headers, padding and folders count too, or a bomb could be made of them.
  const most = limits.bytesPerDeployment + maxEntries(limits) * 8192 + 16 * 1024 ** 2
  return readTar(atMost(most, gunzip(body)), skips)
}

async function* atMost(bytes: number, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let left = bytes
  for await (const chunk of source) {
    left -= chunk.byteLength
    if (left < 0)
      throw new Problem('deployment_too_large', `The archive unpacks to more than ${bytes} bytes.`)
    yield chunk
  }
}

async function* spooledZip(
  { body, limits, spoolFolder }: ArchiveUpload,
  skips: SkipsEntry,
): AsyncGenerator<ArchiveEntry, void> {
  const file = await spool(body, spoolFolder, limits.bytesPerDeployment)
  try {
    yield* readZip(file, { skips, mostEntries: maxEntries(limits) })
  } finally {
    await file.close()
  }
}
