import { type IssuedCertificate, readIssuedCertificate } from '../issued-certificate.ts'
import type { AcmeAccount } from './account.ts'
import { isAcmeUrl } from './acme-url.ts'
import type { AcmeConnection } from './connection.ts'
import { linkTargets } from './link-header.ts'
import { invalid, requireType } from './read-answer.ts'

const chainType = 'application/pem-certificate-chain'
const mostAlternates = 10

export interface DownloadedChain extends IssuedCertificate {
  /** Where the same certificate is with other chains; each can be downloaded like the first. */
  alternates: string[]
}

export async function download(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<DownloadedChain> {
  const answer = await connection.post(account, url, undefined, chainType)
  requireType(answer, chainType)
  const issued = readIssuedCertificate(answer.body)
  if (issued === null) throw invalid(answer, 'it is not a chain of certificates and nothing else')
  const alternates = linkTargets(answer.headers.get('link'), 'alternate', url).filter(isAcmeUrl)
  return { ...issued, alternates: alternates.slice(0, mostAlternates) }
}
