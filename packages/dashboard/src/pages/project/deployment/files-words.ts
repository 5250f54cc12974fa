import { fileSize } from '../../../ui/file-size.ts'
import { fileCount } from '../deployments/file-count.ts'

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
