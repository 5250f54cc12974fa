/** Small files are batched: a request each would cost more than their content. */
const batch = { fileBytes: 256 * 1024, bytes: 4 * 1024 ** 2, files: 1_000 }

/** Groups small files into batches; large ones get a request each. */
export function uploadBatches<T extends { size: number }>(files: readonly T[]): T[][] {
  const requests: T[][] = []
  let together: T[] = []
  let bytes = 0
  for (const file of files) {
    if (file.size > batch.fileBytes) {
      requests.push([file])
      continue
    }
    if (together.length === batch.files || bytes + file.size > batch.bytes) {
      requests.push(together)
      together = []
      bytes = 0
    }
    together.push(file)
    bytes += file.size
  }
  if (together.length > 0) requests.push(together)
  return requests
}

/** Runs `work` on at most `limit` items at a time. The first failure stops the rest and is thrown. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const queue = items.values()

  async function worker(): Promise<void> {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      either.throwIfAborted()
      await work(next.value, either).catch((error) => {
        stop.abort(error)
        throw error
      })
    }
  }

  await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker))
  either.throwIfAborted()
}

const blockBytes = 512
const ascii = new TextEncoder()

export interface PackedFile {
  /** At most 100 ASCII characters; the digest for uploads. */
  name: string
  content: Uint8Array
}

/** A ustar archive. */
export function packTar(files: readonly PackedFile[]): Uint8Array<ArrayBuffer> {
  const { archive, contents } = layOutTar(
    files.map(({ name, content }) => ({ name, size: content.byteLength })),
  )
  for (const [index, { content }] of files.entries()) contents[index]?.set(content)
  return archive
}

/** The archive without its contents, and the places to copy them to. */
export function layOutTar(files: readonly { name: string; size: number }[]): {
  archive: Uint8Array<ArrayBuffer>
  contents: Uint8Array<ArrayBuffer>[]
} {
  const size = files.reduce((sum, { size }) => sum + blockBytes + padded(size), 0)
  const archive = new Uint8Array(size + 2 * blockBytes)
  let at = 0
  const contents = files.map(({ name, size }) => {
    writeHeader(archive.subarray(at, at + blockBytes), name, size)
    const start = at + blockBytes
    at = start + padded(size)
    return archive.subarray(start, start + size)
  })
  return { archive, contents }
}

/** What all headers have in common: mode, owner and time, and spaces where the checksum goes. */
const commonHeader = new Uint8Array(blockBytes)
for (const [text, offset] of [
  ['0000644\u00000000000\u00000000000', 100],
  ['00000000000', 136],
  ['        0', 148],
  ['ustar\u000000', 257],
] as const) {
  commonHeader.set(ascii.encode(text), offset)
}
const commonChecksum = sumOf(commonHeader)

function writeHeader(block: Uint8Array, name: string, size: number): void {
  if (name.length > 100) throw new RangeError('The name of a packed file has at most 100 characters')
  block.set(commonHeader)
  const { written } = ascii.encodeInto(name, block)
  ascii.encodeInto(octal(size, 11), block.subarray(124))
  const checksum = commonChecksum + sumOf(block.subarray(0, written)) + sumOf(block.subarray(124, 135))
  ascii.encodeInto(`${octal(checksum, 6)}\0 `, block.subarray(148))
}

function sumOf(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum += byte
  return sum
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

function padded(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes
}
