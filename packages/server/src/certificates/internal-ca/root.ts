import { randomBytes } from 'node:crypto'
import { day, hour } from '../../clock.ts'
import { type KeyPair, newKeyPair, privateKeyPem, signingAlgorithm } from '../key-pair.ts'
import { newSerial } from '../serial-number.ts'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '../x509.ts'

export interface InternalRoot {
  certificatePem: string
  privateKeyPem: string
}

const lifetime = 3652 * day

/** Made once, on the first start. The caller keeps the key as it keeps every other. */
export async function newRoot(now: number): Promise<InternalRoot> {
  const keys: KeyPair = await newKeyPair()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm,
    serialNumber: newSerial(),
    // A mark of its own, so that somebody who trusts the roots of two installations can tell them apart.
    name: `CN=Masthead internal CA ${randomBytes(3).toString('hex')}, O=Masthead`,
    notBefore: new Date(now - hour),
    notAfter: new Date(now + lifetime),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: privateKeyPem(keys) }
}
