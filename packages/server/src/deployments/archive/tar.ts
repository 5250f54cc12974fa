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
    for (let header = await nextHeader(reader); header; header = await nextHeader(reader)) {
      if (header.type === 'globalPax') {
        globals = { ...globals, ...parsePax(await extension(reader, header.size)) }
      } else if (header.type === 'pax') {
        locals = { ...locals, ...parsePax(await extension(reader, header.size)) }
      } else if (header.type === 'longName') {
        locals = { ...locals, path: decodeName(text(await extension(reader, header.size))) }
      } else if (header.type === 'longLink') {
        await extension(reader, header.size)
      } else {
        yield* readEntry(reader, header, { ...globals, ...locals }, leaveOut)
        locals = {}
      }
    }
    await expectOnlyPadding(reader)
  } finally {
    await reader.close()
  }
}

async function* readEntry(
  reader: ByteReader,
  header: TarHeader,
  overrides: PaxOverrides,
  leaveOut: LeaveOutEntry,
): AsyncGenerator<ArchiveEntry, void> {
  const name = overrides.path ?? decodeName(header.name)
  const type = overrides.sparse ? 'a sparse file' : header.type
  if (leaveOut(name)) {
    await new EntryBody(reader, isWithoutBody(type) ? 0 : (overrides.size ?? header.size)).skipRest()
    return
  }
  if (isUnsupported(type)) throw new Problem('entry_unsupported', `${quoted(name)} is ${type}.`)
  const size = overrides.size ?? header.size
  // The oldest format marks folders only with a slash. The size of a folder is not content.
  if (type === 'folder' || (name.endsWith('/') && size === 0)) {
    yield { kind: 'folder', name }
    return
  }
  const body = new EntryBody(reader, size)
  yield { kind: 'file', name, size, content: body }
  await body.skipRest()
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

  async skipRest(): Promise<void> {
    if (!(await this.#reader.skip(this.#left + this.#padding))) truncated()
    this.#left = 0
  }
}

/** Null at the two zero blocks that end an archive. */
async function nextHeader(reader: ByteReader): Promise<TarHeader | null> {
  const block = await reader.exactly(blockBytes)
  if (!block) truncated()
  if (!isZeroBlock(block)) return parseTarHeader(block)
  const second = await reader.exactly(blockBytes)
  if (!second) truncated()
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

function truncated(): never {
  throw new Problem('archive_truncated', 'The archive ends before its last entry is complete.')
}
