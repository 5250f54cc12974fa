import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { fileSize } from '../../ui/file-size.ts'

export interface Activation {
  words: string
  pending: string
}

const activate = { words: 'Activate', pending: 'Activating…' }
const rollBack = { words: 'Roll back to this', pending: 'Rolling back…' }

/** What serving it would be called, beside what is served now; null where it cannot be or is served already. */
export function activationOf(
  deployment: Pick<Deployment, 'id' | 'state' | 'active'>,
  served: Pick<Deployment, 'id'> | null,
): Activation | null {
  if (deployment.state !== 'ready' || deployment.active) return null
  // Ids sort by time.
  return served !== null && deployment.id < served.id ? rollBack : activate
}

interface Counts {
  shown: number
  loaded: number
  all: number
  bytes: number
}

/** How many of the files are in sight, and that a filter looks only at what is loaded. */
export function filesWords({ shown, loaded, all, bytes }: Counts): string {
  const some = shown === 0 ? 'None' : shown.toLocaleString('en')
  if (shown < loaded && loaded < all) return `${some} of the first ${loaded} of ${fileCount(all)}`
  if (shown < loaded) return `${some} of ${fileCount(all)}`
  return loaded < all
    ? `The first ${loaded.toLocaleString('en')} of ${fileCount(all)}`
    : `${fileCount(all)}, ${fileSize(bytes)} in all`
}

/** "1 file", "1,200 files". */
export function fileCount(files: number): string {
  return files === 1 ? '1 file' : `${files.toLocaleString('en')} files`
}

/** The files whose path holds every word of the wish, in any case. */
export function filterFiles<T extends { path: string }>(files: readonly T[], wish: string): readonly T[] {
  const words = wish.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return files
  return files.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)))
}
