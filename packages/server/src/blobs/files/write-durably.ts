import { createHash } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { Problem } from '../../kernel/problem.ts'

/** Collects small chunks up to this size, so that a small file takes one write. */
const batchBytes = 256 * 1024

export interface Written {
  sha256: string
  size: number
}

/** Writes and hashes a new file. It is durable when this returns, and removed when this throws. */
export async function writeDurably(
  path: string,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Written> {
  const file = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let size = 0
    let batch: Uint8Array[] = []
    let batched = 0
    for await (const chunk of source) {
      size += chunk.byteLength
      if (size > maxBytes)
        throw new Problem('file_too_large', `A file is larger than the limit of ${maxBytes} bytes.`)
      hash.update(chunk)
      batch.push(chunk)
      batched += chunk.byteLength
      if (batched < batchBytes) continue
      await file.writeFile(joinChunks(batch))
      batch = []
      batched = 0
    }
    if (batched > 0) await file.writeFile(joinChunks(batch))
    await file.datasync()
    await file.close()
    return { sha256: hash.digest('hex'), size }
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(path)
    throw error
  }
}

function joinChunks(chunks: Uint8Array[]): Uint8Array {
  const [first] = chunks
  return first && chunks.length === 1 ? first : Buffer.concat(chunks)
}
