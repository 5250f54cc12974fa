import type { FileHandle } from 'node:fs/promises'
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, type ZipFile } from 'yauzl'
import { Problem } from '../../kernel/problem.ts'
import { quoted } from '../paths.ts'
import { type ArchiveEntry, refuseDecompressionBomb, type SkipsEntry } from './archive.ts'
import { ZipSource, zipContent } from './zip-content.ts'

const localHeaderBytes = 30

/**
 * Reads the whole directory of an archive before anything of it is unpacked, and refuses what no packer writes:
 * entries that lie over one another, by which a few bytes become any number of files, and absurd expansion.
 */
async function refuseMalformedLayout(zip: ZipFile, mostEntries: number): Promise<void> {
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
  refuseDecompressionBomb(packed, unpacked)
  spans.sort((a, b) => a.start - b.start)
  let end = 0
  for (const span of spans) {
    if (span.start < end) throw new Problem('archive_invalid', 'Entries of the zip archive overlap.')
    end = span.end
  }
}

/** The files and folders of a zip archive, without those to skip. Links, devices and encrypted entries are refused. */
export async function* readZip(
  file: FileHandle,
  { skips, mostEntries }: { skips: SkipsEntry; mostEntries: number },
): AsyncGenerator<ArchiveEntry, void> {
  try {
    const { size } = await file.stat()
    const source = new ZipSource(file)
    const options = { autoClose: false, decodeStrings: false }
    const zip = await fromRandomAccessReaderPromise(source, size, options)
    await refuseMalformedLayout(await fromRandomAccessReaderPromise(source, size, options), mostEntries)
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry)
      if (!skips(name)) yield await readEntry(source, zip, entry, name)
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

/** By the four type bits of a Unix mode, where the archive has them. Without a mode an entry is a file. */
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

/** Always read as UTF-8: tools that write it without saying so are more common than those that mean CP437. */
function nameOf(entry: Entry): string {
  const flags = entry.generalPurposeBitFlag | utf8Flag
  const name = getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, true)
  if (name.includes('\ufffd')) {
    throw new Problem('path_invalid', `The path ${quoted(name)} is not valid UTF-8.`)
  }
  return name
}

function unsupported(name: string, kind: string): Problem {
  return new Problem('entry_unsupported', `${quoted(name)} is ${kind}.`)
}

/** The parser's complaints have no code; errors of the disk have one and stay what they are. */
async function asProblem(error: unknown, file: FileHandle): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof Problem || 'errno' in error) return error
  const cut =
    error.message === 'unexpected EOF' ||
    (error.message.startsWith('End of central directory') && (await beginsLikeZip(file)))
  return cut
    ? new Problem('archive_truncated', 'The zip archive is incomplete.', { cause: error })
    : new Problem('archive_invalid', `The zip archive cannot be read: ${error.message}`, { cause: error })
}

async function beginsLikeZip(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  return 'PK\x03\x04'.startsWith(buffer.toString('latin1', 0, bytesRead))
}
