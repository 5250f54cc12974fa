import type { ZipFile } from 'yauzl'
import { Problem } from '../../problem.ts'
import { refuseBomb } from './expansion.ts'

const localHeaderBytes = 30

/**
 * Reads the whole directory of an archive before anything of it is unpacked, and refuses what no packer writes:
 * entries that lie over one another, by which a few bytes become any number of files, and absurd expansion.
 */
export async function refuseOddLayout(zip: ZipFile, mostEntries: number): Promise<void> {
  if (zip.entryCount > mostEntries) {
    throw new Problem('too_many_files', `The archive has more than ${mostEntries} entries.`)
  }
  const spans: { start: number; end: number }[] = []
  let packed = 0
  let unpacked = 0
  for await (const entry of zip.eachEntry()) {
    const start = entry.relativeOffsetOfLocalHeader
    // At least: the extra field before the content has a length of its own, which only makes it end later.
    spans.push({ start, end: start + localHeaderBytes + entry.fileNameLength + entry.compressedSize })
    packed += entry.compressedSize
    unpacked += entry.uncompressedSize
  }
  refuseBomb(packed, unpacked)
  spans.sort((a, b) => a.start - b.start)
  let end = 0
  for (const span of spans) {
    if (span.start < end) throw new Problem('archive_invalid', 'Entries of the zip archive overlap.')
    end = span.end
  }
}
