import { randomBytes } from 'node:crypto'
import { type KeyPair, signingAlgorithm } from './key-pair.ts'
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from './x509.ts'

/** 16 random bytes in hex. A first byte from 40 to 7f keeps the number positive and its length fixed. */
export function generateSerial(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0)
  return bytes.toString('hex')
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostname = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`)

/**
 * Names go only into the SAN: clients ignore the common name, which is limited to 64 characters. Without a subject the
 * extension must be critical (RFC 5280, section 4.2.1.6).
 */
export function subjectNames(names: readonly string[]): SubjectAlternativeNameExtension {
  for (const name of names) {
    if (name.length > 253 || !hostname.test(name)) {
      throw new TypeError(`Not a valid certificate name: ${JSON.stringify(name.slice(0, 300))}`)
    }
  }
  if (names.length === 0) throw new TypeError('A certificate needs a name')
  return new SubjectAlternativeNameExtension(
    names.map((value) => ({ type: 'dns' as const, value })),
    true,
  )
}

/** A PKCS #10 certificate request in DER. */
export async function createCsr(names: readonly string[], keys: KeyPair): Promise<Uint8Array> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm,
    extensions: [subjectNames(names)],
  })
  return new Uint8Array(request.rawData)
}
