import { randomBytes } from 'node:crypto'
import { day, hour } from '../../kernel/clock.ts'
import { generateSerial, subjectNames } from '../x509/certificate-fields.ts'
import { type IssuedCertificate, readIssuedCertificate } from '../x509/issued-certificate.ts'
import {
  generateKeyPair,
  type KeyPair,
  keyPairFromPem,
  type PublicKey,
  privateKeyPem,
  signingAlgorithm,
} from '../x509/key-pair.ts'
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
} from '../x509/x509.ts'

export interface InternalRoot {
  certificatePem: string
  privateKeyPem: string
}

const rootLifetime = 3652 * day

/** Made once, on the first start. The caller keeps the key as it keeps every other. */
export async function createRoot(now: number): Promise<InternalRoot> {
  const keys: KeyPair = await generateKeyPair()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm,
    serialNumber: generateSerial(),
    // A mark of its own, so that somebody who trusts the roots of two installations can tell them apart.
    name: `CN=Masthead internal CA ${randomBytes(3).toString('hex')}, O=Masthead`,
    notBefore: new Date(now - hour),
    notAfter: new Date(now + rootLifetime),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: privateKeyPem(keys) }
}

const leafLifetime = 7 * day
/** For clients whose clock is behind ours. */
const grace = hour

export async function issueLeaf(
  root: InternalRoot,
  { name, publicKey, now }: { name: string; publicKey: PublicKey; now: number },
): Promise<IssuedCertificate> {
  const issuer = new X509Certificate(root.certificatePem)
  const end = Math.min(now + leafLifetime, issuer.notAfter.getTime())
  if (end <= now)
    throw new Error(`The internal CA ended at ${issuer.notAfter.toISOString()}: it needs a new root`)
  const certificate = await X509CertificateGenerator.create({
    publicKey,
    signingKey: keyPairFromPem(root.privateKeyPem).privateKey,
    signingAlgorithm,
    serialNumber: generateSerial(),
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
