const sqliteFull = 13
const postgresDiskFull = '53100'

/** Whether an error says that no space is left, on the disk of the database or of the files. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // SQLite puts what happened in the low byte of its extended codes.
  const full = typeof errcode === 'number' && (errcode & 0xff) === sqliteFull
  return full || code === postgresDiskFull || code === 'ENOSPC' || code === 'EDQUOT'
}
