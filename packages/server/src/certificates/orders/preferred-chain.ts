import type { AcmeAccount } from '../acme/account.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import { type IssuedCertificate, readPemChain } from '../x509/issued-certificate.ts'

/**
 * Downloads the certificate with a chain that contains this issuer, by common name. Falls back to the CA's default
 * chain if none does or the alternate cannot be downloaded: any certificate is better than none.
 */
export async function downloadPreferredChain(
  client: Pick<AcmeClient, 'download'>,
  account: AcmeAccount,
  url: string,
  issuer: string | null,
): Promise<IssuedCertificate> {
  const standard = await client.download(account, url)
  if (issuer === null || chainContains(standard.chainPem, issuer)) return standard
  for (const alternate of standard.alternates) {
    const other = await client.download(account, alternate).catch(() => null)
    if (other?.serial === standard.serial && chainContains(other.chainPem, issuer)) return other
  }
  return standard
}

/** Compares issuer names, because the root itself is usually left out of the chain. */
export function chainContains(chainPem: string, issuer: string): boolean {
  const wanted = `CN=${issuer}`
  return (readPemChain(chainPem) ?? []).some((one) => one.issuer.split('\n').includes(wanted))
}
