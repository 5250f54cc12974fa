import { Problem } from '../../kernel/problem.ts'
import { decodeName, quoted } from '../paths.ts'
import type { ArchiveEntry, LeaveOutEntry } from './archive.ts'
import { ByteReader } from './byte-reader.ts'
import {
  blockBytes,
  isUnsupported,
  isWithoutBody,
  isZeroBlock,
  type PaxOverrides,
  parsePax,
  parseTarHeader,
  type TarHeader,
  text,
} from './tar-header.ts'

/** Names and extended headers are kept in memory, so their size is limited. */
const maxExtensionBytes = 64 * 1024

/**
 * Streams the files and folders of a tar archive (v7, ustar, GNU, pax). Throws the Problem `entry_unsupported` for
 * links, devices, sparse files and unknown types.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  leaveOut: LeaveOutEntry = () => false,
): AsyncGenerator<ArchiveEntry, void> {
  const reader = new ByteReader(source)
  try {
    let globals: PaxOverrides = {}
    let locals: PaxOverrides = {}
    for (;;) {
      const next = nextHeader(reader)
      const header = next instanceof Promise ? await next : next
      if (header === null) break
      if (header.type === 'globalPax') {
        globals = { ...globals, ...parsePax(await extension(reader, header.size)) }
      } else if (header.type === 'pax') {
        locals = { ...locals, ...parsePax(await extension(reader, header.size)) }
      } else if (header.type === 'longName') {
        locals = { ...locals, path: decodeName(text(await extension(reader, header.size))) }
      } else if (header.type === 'longLink') {
        await extension(reader, header.size)
      } else {
        const { entry, body } = readEntry(reader, header, { ...globals, ...locals }, leaveOut)
        locals = {}
        if (entry !== null) yield entry
        const skipped = body?.skipRest()
        if (skipped instanceof Promise) await skipped
      }
    }
    await expectOnlyPadding(reader)
  } finally {
    await reader.close()
  }
}

/** The entry is null if it is left out. */
function readEntry(
  reader: ByteReader,
  header: TarHeader,
  overrides: PaxOverrides,
  leaveOut: LeaveOutEntry,
): { entry: ArchiveEntry | null; body: EntryBody | null } {
  const name = overrides.path ?? decodeName(header.name)
  const type = overrides.sparse ? 'a sparse file' : header.type
  if (leaveOut(name)) {
    const size = isWithoutBody(type) ? 0 : (overrides.size ?? header.size)
    return { entry: null, body: new EntryBody(reader, size) }
  }
  if (isUnsupported(type)) throw new Problem('entry_unsupported', `${quoted(name)} is ${type}.`)
  const size = overrides.size ?? header.size
  // The oldest format marks folders only with a slash. The size of a folder is not content.
  if (type === 'folder' || (name.endsWith('/') && size === 0)) {
    return { entry: { kind: 'folder', name }, body: null }
  }
  const body = new EntryBody(reader, size)
  return { entry: { kind: 'file', name, size, content: body, whole: () => body.whole() }, body }
}

/** The content and padding of one entry. */
class EntryBody implements AsyncIterable<Uint8Array> {
  readonly #reader: ByteReader
  readonly #padding: number
  #left: number

  constructor(reader: ByteReader, size: number) {
    this.#reader = reader
    this.#padding = paddingAfter(size)
    this.#left = size
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    while (this.#left > 0) {
      const part = await this.#reader.some(this.#left)
      if (!part) truncated()
      this.#left -= part.byteLength
      yield part
    }
  }

  whole(): Uint8Array | Promise<Uint8Array> {
    const bytes = this.#reader.exactly(this.#left)
    this.#left = 0
    return bytes instanceof Promise ? bytes.then(orTruncated) : orTruncated(bytes)
  }

  skipRest(): undefined | Promise<void> {
    const skipped = this.#reader.skip(this.#left + this.#padding)
    this.#left = 0
    if (skipped instanceof Promise) return skipped.then(unlessTruncated)
    return unlessTruncated(skipped)
  }
}

/** Null at the two zero blocks that end an archive. */
function nextHeader(reader: ByteReader): TarHeader | null | Promise<TarHeader | null> {
  const block = reader.exactly(blockBytes)
  return block instanceof Promise ? block.then((late) => readHeader(reader, late)) : readHeader(reader, block)
}

function readHeader(reader: ByteReader, block: Buffer | null): TarHeader | Promise<null> {
  const header = orTruncated(block)
  return isZeroBlock(header) ? expectSecondZeroBlock(reader) : parseTarHeader(header)
}

async function expectSecondZeroBlock(reader: ByteReader): Promise<null> {
  const second = orTruncated(await reader.exactly(blockBytes))
  if (!isZeroBlock(second)) throw new Problem('archive_invalid', 'The archive has a gap in the middle.')
  return null
}

async function extension(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > maxExtensionBytes) {
    throw new Problem('archive_invalid', `The archive has an extended header of ${size} bytes.`)
  }
  const body = await reader.exactly(size)
  if (!body || !(await reader.skip(paddingAfter(size)))) truncated()
  return body
}

/** Archives are padded with zeros to the tape record size. Reading to the end makes gunzip verify its checksum. */
async function expectOnlyPadding(reader: ByteReader): Promise<void> {
  for (let part = await reader.some(65_536); part; part = await reader.some(65_536)) {
    if (part.some((byte) => byte !== 0)) {
      throw new Problem('archive_invalid', 'There is unexpected data after the end of the archive.')
    }
  }
}

function paddingAfter(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}

function orTruncated<T>(part: T | null): T {
  return part ?? truncated()
}

function unlessTruncated(isComplete: boolean): undefined {
  if (!isComplete) truncated()
}

function truncated(): never {
  throw new Problem('archive_truncated', 'The archive ends before its last entry is complete.')
}
