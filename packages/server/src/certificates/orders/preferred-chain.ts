import type { AcmeAccount } from '../acme/account.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import { type IssuedCertificate, readPemChain } from '../x509/issued-certificate.ts'

/**
 * The certificate with the chain on which this issuer stands, by its common name. Where the CA offers none such, or
 * does not hand it out, the chain of its own choice: any certificate is better than none.
 */
export async function downloadPreferredChain(
  client: Pick<AcmeClient, 'download'>,
  account: AcmeAccount,
  url: string,
  issuer: string | null,
): Promise<IssuedCertificate> {
  const usual = await client.download(account, url)
  if (issuer === null || isOnChain(usual.chainPem, issuer)) return usual
  for (const alternate of usual.alternates) {
    const other = await client.download(account, alternate).catch(() => null)
    if (other?.serial === usual.serial && isOnChain(other.chainPem, issuer)) return other
  }
  return usual
}

/** Also the root counts, which a chain leaves out: whoever signed any of its certificates. */
export function isOnChain(chainPem: string, issuer: string): boolean {
  const wanted = `CN=${issuer}`
  return (readPemChain(chainPem) ?? []).some((one) => one.issuer.split('\n').includes(wanted))
}
