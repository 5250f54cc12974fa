const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Safe in HTML text and attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Untrusted text made safe for a sentence: shortened, with invisible and bidirectional characters escaped. */
export function printableText(text: string, longest = 120): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text
  return short.replaceAll(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** The message of an error, without what Node.js advises about certificates: that is about starting Node.js. */
export function errorMessage({ message }: Error): string {
  return message.replace(/; if the root CA is installed locally.*$/s, '')
}
