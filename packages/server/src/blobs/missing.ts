export async function unlessMissing<T, F>(attempt: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await attempt
  } catch (error) {
    if (isMissing(error)) return fallback
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
