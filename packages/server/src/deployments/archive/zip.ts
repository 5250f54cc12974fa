import type { FileHandle } from 'node:fs/promises'
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, type ZipFile } from 'yauzl'
import { Problem } from '../../kernel/problem.ts'
import { quoted } from '../paths.ts'
import { type ArchiveEntry, type LeaveOutEntry, refuseDecompressionBomb } from './archive.ts'
import { ZipSource, zipContent } from './zip-content.ts'

const localHeaderBytes = 30

/**
 * Reads the whole directory before unpacking anything, and refuses what no real tool writes: overlapping entries, which
 * turn a few bytes into any number of files, entries that claim more bytes than there are, and absurd compression ratios.
 */
async function refuseMalformedLayout(
  zip: ZipFile,
  { size, maxEntryCount }: { size: number; maxEntryCount: number },
): Promise<void> {
  if (zip.entryCount > maxEntryCount) {
    throw new Problem('too_many_files', `The archive has more than ${maxEntryCount} entries.`)
  }
  const spans: { start: number; end: number }[] = []
  let packed = 0
  let unpacked = 0
  for await (const entry of zip.eachEntry()) {
    const start = entry.relativeOffsetOfLocalHeader
    // A lower bound: the extra field before the content only makes it end later.
    spans.push({ start, end: start + localHeaderBytes + entry.fileNameLength + entry.compressedSize })
    packed += entry.compressedSize
    unpacked += entry.uncompressedSize
  }
  refuseDecompressionBomb(packed, unpacked)
  spans.sort((a, b) => a.start - b.start)
  let end = 0
  for (const span of spans) {
    if (span.start < end) throw new Problem('archive_invalid', 'Entries of the zip archive overlap.')
    end = span.end
  }
  // Also of folders and of files that are left out, which are never read: their bytes count for the ratio.
  if (end > size) {
    throw new Problem('archive_truncated', 'The zip archive ends before its last entry is complete.')
  }
}

/** Throws the Problem `entry_unsupported` for links, devices and encrypted entries. */
export async function* readZip(
  file: FileHandle,
  { leaveOut, maxEntryCount }: { leaveOut: LeaveOutEntry; maxEntryCount: number },
): AsyncGenerator<ArchiveEntry, void> {
  try {
    const { size } = await file.stat()
    const source = new ZipSource(file)
    const options = { autoClose: false, decodeStrings: false }
    const zip = await fromRandomAccessReaderPromise(source, size, options)
    const directory = await fromRandomAccessReaderPromise(source, size, options)
    await refuseMalformedLayout(directory, { size, maxEntryCount })
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry)
      if (!leaveOut(name)) yield await readEntry(source, zip, entry, name)
    }
  } catch (error) {
    throw await asProblem(error, file)
  }
}

async function readEntry(source: ZipSource, zip: ZipFile, entry: Entry, name: string): Promise<ArchiveEntry> {
  const kind = unixKinds[(entry.externalFileAttributes >>> 28) & 0xf]
  if (kind === undefined) throw unsupported(name, 'of an unknown kind')
  if (kind !== 'file' && kind !== 'folder') throw unsupported(name, kind)
  if (entry.isEncrypted()) throw unsupported(name, 'encrypted')
  if (kind === 'folder' || (name.endsWith('/') && entry.uncompressedSize === 0))
    return { kind: 'folder', name }
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  return {
    kind: 'file',
    name,
    size: entry.uncompressedSize,
    content: zipContent(source, fileDataStart, entry),
  }
}

/** By the four type bits of a Unix mode. An entry without a mode is a file. */
const unixKinds: Readonly<Record<number, string>> = {
  0: 'file',
  1: 'a fifo',
  2: 'a character device',
  4: 'folder',
  6: 'a block device',
  8: 'file',
  10: 'a symbolic link',
  12: 'a socket',
}

const utf8Flag = 0x800
/** In the upper byte of `versionMadeBy`. */
const madeByDos = 0

/**
 * Always decoded as UTF-8: tools that write UTF-8 without the flag are more common than those that use CP437. Windows
 * PowerShell separates folders by backslashes and calls itself DOS, where no name has one (Info-ZIP reads it so too).
 */
function nameOf(entry: Entry): string {
  const flags = entry.generalPurposeBitFlag | utf8Flag
  const name = getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, true)
  if (name.includes('\ufffd')) {
    const advice = 'Publish the folder itself, or a tar.gz of it'
    throw new Problem('path_invalid', `The path ${quoted(name)} is not valid UTF-8. ${advice}.`)
  }
  const isDos = entry.versionMadeBy >>> 8 === madeByDos && !name.includes('/')
  return isDos ? name.replaceAll('\\', '/') : name
}

function unsupported(name: string, kind: string): Problem {
  return new Problem('entry_unsupported', `${quoted(name)} is ${kind}.`)
}

/** Errors of the parser have no code; errors of the disk do, and are passed on. */
async function asProblem(error: unknown, file: FileHandle): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof Problem || 'errno' in error) return error
  const isTruncated =
    error.message === 'unexpected EOF' ||
    (error.message.startsWith('End of central directory') && (await startsLikeZip(file)))
  return isTruncated
    ? new Problem('archive_truncated', 'The zip archive is incomplete.', { cause: error })
    : new Problem('archive_invalid', `The zip archive cannot be read: ${error.message}`, { cause: error })
}

async function startsLikeZip(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  return 'PK\x03\x04'.startsWith(buffer.toString('latin1', 0, bytesRead))
}
