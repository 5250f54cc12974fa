/**
 * The text of a file that people write, without a byte order mark. Windows PowerShell and some editors write UTF-16,
 * which a byte order mark tells, or else the zero in the first character. Anything else is read as UTF-8, with U+FFFD
 * for what is none.
 */
export function decodeText(content: Uint8Array): string {
  const [first, second] = content
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder('utf-16le').decode(content)
  if ((first === 0xfe && second === 0xff) || first === 0) return new TextDecoder('utf-16be').decode(content)
  const text = new TextDecoder().decode(content)
  return appended.test(text) ? text.replaceAll('\0', '') : text
}

/** Windows PowerShell also appends UTF-16 to files in UTF-8. Without the zeros, its ASCII is what it was. */
const appended = /[^\0]\0[^\0]\0/
