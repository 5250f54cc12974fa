import { day, hour } from '../../clock.ts'
import { type IssuedCertificate, readIssuedCertificate } from '../issued-certificate.ts'
import { keyPairFromPem, type PublicKey, signingAlgorithm } from '../key-pair.ts'
import { newSerial } from '../serial-number.ts'
import { subjectNames } from '../subject-names.ts'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '../x509.ts'
import type { InternalRoot } from './root.ts'

const lifetime = 7 * day
/** For clients whose clock is behind ours. */
const grace = hour

export async function issueLeaf(
  root: InternalRoot,
  { name, publicKey, now }: { name: string; publicKey: PublicKey; now: number },
): Promise<IssuedCertificate> {
  const issuer = new X509Certificate(root.certificatePem)
  const end = Math.min(now + lifetime, issuer.notAfter.getTime())
  if (end <= now)
    throw new Error(`The internal CA ended at ${issuer.notAfter.toISOString()}: it needs a new root`)
  const certificate = await X509CertificateGenerator.create({
    publicKey,
    signingKey: keyPairFromPem(root.privateKeyPem).privateKey,
    signingAlgorithm,
    serialNumber: newSerial(),
    issuer: issuer.subjectName,
    notBefore: new Date(Math.max(now - grace, issuer.notBefore.getTime())),
    notAfter: new Date(end),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      subjectNames([name]),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await SubjectKeyIdentifierExtension.create(publicKey),
    ],
  })
  const issued = readIssuedCertificate(certificate.toString('pem'))
  if (issued === null) throw new Error('The internal CA made a certificate that cannot be read')
  return issued
}
