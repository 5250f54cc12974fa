const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, in an attribute too. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/**
 * What strangers wrote, as it may stand in a sentence: not too long, and with everything spelled out that would
 * not be seen, break the line or turn the direction of the text.
 */
export function printableText(text: string, longest = 120): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text
  return short.replaceAll(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, spelledOut)
}

function spelledOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
