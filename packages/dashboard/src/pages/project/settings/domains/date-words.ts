/** `3 January 2027`, in the reader's own zone. */
export function dateWords(iso: string, timeZone?: string): string {
  return new Date(iso).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    ...(timeZone === undefined ? {} : { timeZone }),
  })
}
