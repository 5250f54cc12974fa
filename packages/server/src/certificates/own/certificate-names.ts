import type { X509Certificate } from 'node:crypto'
import { printableText } from '../../kernel/escape-text.ts'

const longestTitle = 100
const longestList = 100

/** Who a certificate is for or from: the common name, else the organization. */
export function titleOf(distinguishedName: string): string {
  const lines = distinguishedName.split('\n')
  const named = (attribute: string) =>
    lines.find((line) => line.startsWith(`${attribute}=`))?.slice(attribute.length + 1)
  return printableText(named('CN') ?? named('O') ?? 'without a name', longestTitle)
}

/** The hostnames of a certificate. Those that need quotes are none that we serve. */
export function hostnamesOf({ subjectAltName = '' }: Pick<X509Certificate, 'subjectAltName'>): string[] {
  const names = [...subjectAltName.matchAll(/(?:^|, )DNS:([\w.*-]{1,253})(?=,|$)/g)].map(
    ([, name = '']) => name,
  )
  return names.slice(0, longestList)
}

/** Whether browsers accept the certificate for the hostname: by RFC 6125, a wildcard covers exactly one label. */
export function covers(certificate: X509Certificate, hostname: string): boolean {
  // A wildcard domain is covered only by the same wildcard.
  if (hostname.startsWith('*.')) {
    return hostnamesOf(certificate).some((name) => name.toLowerCase() === hostname)
  }
  const options = { subject: 'never', wildcards: true, partialWildcards: false } as const
  return certificate.checkHost(hostname, options) !== undefined
}
