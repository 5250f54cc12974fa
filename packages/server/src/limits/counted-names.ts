/**
 * Counts are kept under names: an account's admitted requests under its id, and beside them those of each of its keys,
 * for the day, and what was rejected.
 */
export const nameOfKey = (keyId: string) => `key:${keyId}`
export const nameOfRejections = (accountId: string) => `rejected:${accountId}`

/** Whether a day's count is one that a limit is held against. */
export function isLimited(name: string): boolean {
  return !name.startsWith('key:') && !name.startsWith('rejected:')
}

/** Minutes of single keys are shown nowhere. */
export function hasMinutes(name: string): boolean {
  return !name.startsWith('key:')
}
