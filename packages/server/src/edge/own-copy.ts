/** A slice keeps the whole string alive that it was cut from: what is kept for long is copied first. */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString()
}
