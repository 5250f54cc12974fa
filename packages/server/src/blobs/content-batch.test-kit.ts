import { createHash, randomBytes } from 'node:crypto'
import { ContentBatch } from './content-batch.ts'

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

export function batchOf(contents: readonly Buffer[]): ContentBatch {
  const batch = new ContentBatch()
  for (const content of contents) batch.add(sha256(content), content)
  return batch
}

export const manyContents = (length: number): Buffer[] =>
  Array.from({ length }, (_, n) => Buffer.concat([Buffer.from(`${n}`), randomBytes((n % 5) * 1_000)]))
