/** The files whose path holds every word of the wish, in any case. */
export function filterFiles<T extends { path: string }>(files: readonly T[], wish: string): readonly T[] {
  const words = wish.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return files
  return files.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)))
}
