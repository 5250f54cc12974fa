import { statfs } from 'node:fs/promises'

const most = 10 * 1024 ** 3

/** Unless the operator says otherwise: ten gigabytes, or a third of a smaller disk. */
export async function defaultCacheBytes(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder)
  return Math.min(most, Math.floor((blocks * bsize) / 3))
}
