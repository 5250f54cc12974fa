import { randomBytes } from 'node:crypto'
import { hour } from '../../kernel/clock.ts'
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
import { leafLifetime, rootLifetime } from './lifetimes.ts'

export interface InternalRoot {
  certificatePem: string
  privateKeyPem: string
}

/** The caller stores the key sealed. */
export async function createRoot(now: number): Promise<InternalRoot> {
  const keys: KeyPair = await generateKeyPair()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm,
    serialNumber: generateSerial(),
    // A random suffix distinguishes the roots of several installations in a trust store.
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

/** For clients whose clocks are behind ours. */
const clockTolerance = hour

export async function issueLeaf(
  root: InternalRoot,
  { name, publicKey, now }: { name: string; publicKey: PublicKey; now: number },
): Promise<IssuedCertificate> {
  const issuer = new X509Certificate(root.certificatePem)
  const notAfter = Math.min(now + leafLifetime, issuer.notAfter.getTime())
  if (notAfter <= now)
    throw new Error(`The root of the internal CA expired at ${issuer.notAfter.toISOString()}`)
  const certificate = await X509CertificateGenerator.create({
    publicKey,
    signingKey: keyPairFromPem(root.privateKeyPem).privateKey,
    signingAlgorithm,
    serialNumber: generateSerial(),
    issuer: issuer.subjectName,
    notBefore: new Date(Math.max(now - clockTolerance, issuer.notBefore.getTime())),
    notAfter: new Date(notAfter),
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
  if (issued === null) throw new Error('The internal CA created an unreadable certificate')
  return issued
}
