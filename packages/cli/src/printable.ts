/** Text of strangers, without what could move the cursor, hide, or turn the line around. */
export function printable(text: string, longest = 200): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain
}
