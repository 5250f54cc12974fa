import { X509Certificate } from 'node:crypto'

const longestChain = 10
const onlyCertificates = /^(?:\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----)+\s*$/
const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The certificates of a chain, its own one first. Null where the text holds anything else, such as a key that
 * would be stored and served unseen (RFC 8555, section 11.4).
 */
export function readPemChain(text: string): X509Certificate[] | null {
  if (!onlyCertificates.test(text)) return null
  const blocks = text.match(certificate) ?? []
  if (blocks.length > longestChain) return null
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return null
  }
}
