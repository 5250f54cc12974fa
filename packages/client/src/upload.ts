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
const latin = new TextEncoder()

export interface PackedFile {
  /** At most 100 ASCII characters; the digest for uploads. */
  name: string
  content: Uint8Array
}

/** A ustar archive. */
export function packTar(files: readonly PackedFile[]): Uint8Array<ArrayBuffer> {
  const size = files.reduce((sum, { content }) => sum + blockBytes + padded(content.byteLength), 0)
  const archive = new Uint8Array(size + 2 * blockBytes)
  let at = 0
  for (const { name, content } of files) {
    archive.set(header(name, content.byteLength), at)
    archive.set(content, at + blockBytes)
    at += blockBytes + padded(content.byteLength)
  }
  return archive
}

function header(name: string, size: number): Uint8Array {
  const block = new Uint8Array(blockBytes)
  const write = (text: string, offset: number) => block.set(latin.encode(text), offset)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  if (name.length > 100) throw new RangeError('The name of a packed file has at most 100 characters')
  write(name, 0)
  write(octal(0o644, 7), 100)
  write(octal(0, 7), 108)
  write(octal(0, 7), 116)
  write(octal(size, 11), 124)
  write(octal(0, 11), 136)
  write('        ', 148)
  write('0', 156)
  write('ustar\u000000', 257)
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  write(`${octal(checksum, 6)}\0 `, 148)
  return block
}

function padded(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes
}
