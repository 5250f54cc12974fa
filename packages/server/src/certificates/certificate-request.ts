import { type KeyPair, signingAlgorithm } from './key-pair.ts'
import { subjectNames } from './subject-names.ts'
import { Pkcs10CertificateRequestGenerator } from './x509.ts'

/** A PKCS #10 request in DER, as a CA takes it at the end of an order. */
export async function certificateRequest(names: readonly string[], keys: KeyPair): Promise<Uint8Array> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm,
    extensions: [subjectNames(names)],
  })
  return new Uint8Array(request.rawData)
}
