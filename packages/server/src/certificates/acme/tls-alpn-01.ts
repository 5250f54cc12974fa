import { createHash } from 'node:crypto'
import { hour } from '../../kernel/clock.ts'
import { generateSerial, subjectNames } from '../x509/certificate-fields.ts'
import { generateKeyPair, privateKeyPem, signingAlgorithm } from '../x509/key-pair.ts'
import { Extension, X509CertificateGenerator } from '../x509/x509.ts'

const acmeIdentifier = '1.3.6.1.5.5.7.1.31'
const lifetime = hour

/** The certificate for a tls-alpn-01 challenge (RFC 8737, section 3), useless for anything else. */
export async function validationCertificate({
  name,
  keyAuthorization,
  now,
}: {
  name: string
  keyAuthorization: string
  now: number
}): Promise<{ certificatePem: string; privateKeyPem: string }> {
  const keys = await generateKeyPair()
  const digest = createHash('sha256').update(keyAuthorization).digest()
  const octetString = Buffer.concat([Buffer.from([0x04, digest.length]), digest])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm,
    serialNumber: generateSerial(),
    notBefore: new Date(now - lifetime),
    notAfter: new Date(now + lifetime),
    extensions: [subjectNames([name]), new Extension(acmeIdentifier, true, octetString)],
  })
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: privateKeyPem(keys) }
}
