/** The text of the first element of this name, or null. S3's documents are flat enough, and we trust none of them. */
export function xmlText(document: string, name: string): string | null {
  const match = new RegExp(`<${name}>([^<]*)</${name}>`).exec(document)
  return match === null ? null : decodeXml(match[1] ?? '')
}

/** The inner text of all elements of this name. */
export function xmlElements(document: string, name: string): string[] {
  return Array.from(
    document.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs')),
    ([, inner]) => inner ?? '',
  )
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decodeXml(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '')
}
