import { eachLimited } from '@masthead/client/each-limited.ts'
import type { OutgoingFile } from './outgoing-file.ts'
import { sha256 } from './sha256.ts'

/** A browser hashes a whole file at once, in memory: large ones take turns. */
const smallFile = 4 * 1024 ** 2
const smallAtOnce = 16

/** Hashes each file that has no digest yet. One that cannot be read has failed afterwards. */
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
      file.fault = null
    }
    changed()
  }
  await eachLimited(small, smallAtOnce, signal, hash)
  await eachLimited(large, 1, signal, hash)
}
