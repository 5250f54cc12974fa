import { forEachConcurrent } from '@masthead/client/upload.ts'
import type { OutgoingFile } from './progress.ts'

/** Browsers hash a whole file in memory, so large ones are hashed one at a time. */
const smallFile = 4 * 1024 ** 2
const smallAtOnce = 16

/** Hashes each file that has no digest yet. An unreadable file is marked as failed. */
export async function hashFiles(
  files: readonly OutgoingFile[],
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  const left = files.filter((file) => file.sha256 === null)
  const [small, large] = [
    left.filter(({ size }) => size <= smallFile),
    left.filter(({ size }) => size > smallFile),
  ]
  const hash = async (file: OutgoingFile) => {
    file.state = 'hashing'
    changed()
    const content = await file.content()
    if (content !== null) {
      file.size = content.byteLength
      file.sha256 = await sha256(content)
      file.state = 'hashed'
      file.reason = null
    }
    changed()
  }
  await forEachConcurrent(small, smallAtOnce, signal, hash)
  await forEachConcurrent(large, 1, signal, hash)
}

/** Browsers only hash on HTTPS and localhost. */
export function canHash(): boolean {
  return globalThis.crypto?.subtle !== undefined
}

/** SHA-256 in lower-case hex. */
export async function sha256(content: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', content)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
