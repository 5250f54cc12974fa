import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../problem.ts'

/**
 * Keeps a body on disk while it is read in any order. The file has no name from the start, so that closing it,
 * or the end of this process, is all the cleaning up there is.
 */
export async function spool(
  body: AsyncIterable<Uint8Array>,
  folder: string,
  maxBytes: number,
): Promise<FileHandle> {
  const path = join(folder, `spool-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    let size = 0
    for await (const chunk of body) {
      size += chunk.byteLength
      if (size > maxBytes) {
        throw new Problem('deployment_too_large', `The archive is larger than ${maxBytes} bytes.`)
      }
      await file.writeFile(chunk)
    }
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
