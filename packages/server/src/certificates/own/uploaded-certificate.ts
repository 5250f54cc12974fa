import { type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext, rootCertificates } from 'node:tls'
import { hour, isoTime } from '../../kernel/clock.ts'
import { formatList } from '../../kernel/english.ts'
import type { IssuedCertificate } from '../x509/issued-certificate.ts'
import { isForServers, isIssuedBy } from '../x509/server-certificate.ts'
import { covers, hostnamesOf, titleOf } from './certificate-names.ts'
import { orderChain } from './chain-order.ts'
import { keyWeakness, signatureWeakness } from './key-strength.ts'
import { readPemBlocks } from './pem-blocks.ts'
import { readPrivateKey } from './private-key.ts'

export interface UploadedCertificate extends IssuedCertificate {
  /** PKCS #8. */
  keyPem: string
  issuerTitle: string
  names: string[]
  /** Whether the chain ends at a root that clients know. Not so for a company's own CA. */
  isTrusted: boolean
}

export interface UploadFault {
  path: 'chain' | 'key'
  message: string
}

const longestChain = 10
/** Masthead takes over this long before the end, so that there is time to order. */
export const takeOverBefore = hour

/** Checks a chain and a key as they were sent, for a hostname. Returns everything that is wrong with them. */
export function readUploadedCertificate(
  sent: { chain: string; key: string },
  { hostname, now }: { hostname: string; now: number },
): UploadedCertificate | { faults: UploadFault[] } {
  const read = { certificates: readCertificates(sent.chain), key: readPrivateKey(sent.key) }
  const faults: UploadFault[] = []
  if ('fault' in read.certificates) faults.push({ path: 'chain', message: read.certificates.fault })
  if ('fault' in read.key) faults.push({ path: 'key', message: read.key.fault })
  if ('fault' in read.certificates || 'fault' in read.key) return { faults }
  const { key } = read.key
  const { certificates } = read.certificates
  const leaf = certificates.find((one) => belongsTo(one, key))
  if (leaf === undefined) {
    const [first] = certificates
    const whose = first === undefined ? '' : ` (${titleOf(first.subject)})`
    return fault(
      'key',
      `does not belong to the certificate${whose}. Send the key that its request was made with.`,
    )
  }
  const ordered = orderChain(leaf, certificates)
  if ('stranger' in ordered) {
    const { subject, issuer } = ordered.stranger
    return fault(
      'chain',
      `contains ${titleOf(subject)}, issued by ${titleOf(issuer)}, which does not belong to the chain of this certificate. Remove it, or add the one between them.`,
    )
  }
  const { chain } = ordered
  faults.push(...leafFaults(leaf, hostname))
  faults.push(...chain.flatMap((one) => certificateFaults(one, one === leaf ? 'server' : 'authority', now)))
  if (faults.length > 0) return { faults }
  const chainPem = chain.map(String).join('')
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  try {
    createSecureContext({ cert: chainPem, key: keyPem })
  } catch {
    return fault('chain', 'cannot be used for TLS.')
  }
  return {
    chainPem,
    keyPem,
    serial: leaf.serialNumber.toLowerCase(),
    notBefore: leaf.validFromDate.getTime(),
    // Served only while every certificate of the chain is valid.
    notAfter: Math.min(...chain.map((one) => one.validToDate.getTime())),
    issuerTitle: titleOf(leaf.issuer),
    names: hostnamesOf(leaf),
    isTrusted: endsAtRoot(chain.at(-1) ?? leaf),
  }
}

function fault(path: UploadFault['path'], message: string): { faults: UploadFault[] } {
  return { faults: [{ path, message }] }
}

function readCertificates(text: string): { certificates: X509Certificate[] } | { fault: string } {
  const blocks = readPemBlocks(text).filter(({ label }) => /^(X509 )?CERTIFICATE$/.test(label))
  if (blocks.length === 0) return { fault: 'contains no certificate in PEM (-----BEGIN CERTIFICATE-----).' }
  if (blocks.length > longestChain) {
    return {
      fault: `contains ${blocks.length} certificates. Send only the certificate and its intermediates, at most ${longestChain}.`,
    }
  }
  const certificates: X509Certificate[] = []
  for (const [index, { der }] of blocks.entries()) {
    try {
      const certificate = new X509Certificate(der)
      // Before any signature is checked with the key: it decides how long that takes.
      const weakness = keyWeakness(certificate.publicKey, 'authority')
      if (weakness !== null) return { fault: `cannot be used: ${titleOf(certificate.subject)} ${weakness}` }
      certificates.push(certificate)
    } catch {
      return { fault: `cannot be read: certificate ${index + 1} is damaged or incomplete.` }
    }
  }
  return { certificates }
}

function belongsTo(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.checkPrivateKey(key)
  } catch {
    return false
  }
}

function leafFaults(leaf: X509Certificate, hostname: string): UploadFault[] {
  const messages: string[] = []
  if (leaf.ca)
    messages.push('has the key of a certificate authority, not of a server. Use a server certificate.')
  // Browsers require the names here and ignore the common name.
  if (!covers(leaf, hostname)) {
    const names = hostnamesOf(leaf)
    const found = names.length === 0 ? 'no hostname' : formatList(names)
    messages.push(`is not for ${hostname}. It is for ${found}.`)
  }
  if (!isForServers(leaf)) {
    messages.push('is not for servers: its extended key usage does not include server authentication.')
  }
  return messages.map((message) => ({ path: 'chain', message }))
}

function certificateFaults(
  certificate: X509Certificate,
  of: 'server' | 'authority',
  now: number,
): UploadFault[] {
  const messages: string[] = []
  const title = titleOf(certificate.subject)
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  if (from > now) messages.push(`is not valid yet: ${title} is valid from ${isoTime(from)}.`)
  if (to <= now) messages.push(`has expired: ${title} was valid until ${isoTime(to)}.`)
  else if (to <= now + takeOverBefore)
    messages.push(`expires too soon: ${title} is valid until ${isoTime(to)}.`)
  const weakness = keyWeakness(certificate.publicKey, of) ?? signatureWeakness(certificate)
  if (weakness !== null) messages.push(`cannot be used: ${title} ${weakness}`)
  return messages.map((message) => ({ path: 'chain', message }))
}

let roots: X509Certificate[] | undefined

function endsAtRoot(last: X509Certificate): boolean {
  roots ??= rootCertificates.map((pem) => new X509Certificate(pem))
  return roots.some((root) => last.fingerprint256 === root.fingerprint256 || isIssuedBy(last, root))
}
