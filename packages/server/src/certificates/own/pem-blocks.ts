export interface PemBlock {
  /** Such as `CERTIFICATE`. */
  label: string
  der: Buffer
  /** The lines before the base64, as old encrypted keys have them. */
  headers: string
}

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----((?:(?!-----)[\s\S])*)-----END \1-----/g
const header = /^[\t ]*[A-Za-z-]+:.*$/gm

/**
 * The blocks of a PEM text, however it is spelled: with CRLF, indented, with `\n` written out as in a JSON string, and
 * with other text around the blocks, as `openssl pkcs12` writes it.
 */
export function readPemBlocks(text: string): PemBlock[] {
  const lines = text.replaceAll('\\r', '').replaceAll('\\n', '\n').replaceAll('\r', '\n')
  return [...lines.matchAll(block)].map(([, label = '', content = '']) => {
    const headers = content.match(header)?.join('\n') ?? ''
    return { label, headers, der: Buffer.from(content.replace(header, ''), 'base64') }
  })
}
