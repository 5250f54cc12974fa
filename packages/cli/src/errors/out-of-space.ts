const codes = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Whether something could not be written because there is no room for it. */
export function isOutOfSpace(error: unknown): boolean {
  return codes.includes(String((error as NodeJS.ErrnoException).code))
}
