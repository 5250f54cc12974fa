import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readPemBlocks } from './pem-blocks.ts'

const formats: Readonly<Record<string, 'pkcs8' | 'pkcs1' | 'sec1'>> = {
  'PRIVATE KEY': 'pkcs8',
  'RSA PRIVATE KEY': 'pkcs1',
  'EC PRIVATE KEY': 'sec1',
}

/** The only private key in a PEM text, or what is wrong with it. The messages reveal nothing of the key. */
export function readPrivateKey(text: string): { key: KeyObject } | { fault: string } {
  const blocks = readPemBlocks(text)
  const keys = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'))
  const [first, second] = keys
  if (first === undefined) {
    const isCertificate = blocks.some(({ label }) => label.endsWith('CERTIFICATE'))
    const found = isCertificate ? ' It contains a certificate instead.' : ''
    return { fault: `contains no private key in PEM (-----BEGIN PRIVATE KEY-----).${found}` }
  }
  if (second !== undefined)
    return { fault: 'contains several private keys. Send only the one of the certificate.' }
  if (first.label.startsWith('ENCRYPTED') || first.headers.includes('ENCRYPTED')) {
    const command = 'openssl pkey -in key.pem -out decrypted.pem'
    return { fault: `is encrypted with a passphrase. Decrypt it first: ${command}` }
  }
  const type = formats[first.label]
  if (type === undefined) {
    return {
      fault: `is of the kind ${first.label}, which is not supported. Use RSA or ECDSA (P-256, P-384).`,
    }
  }
  try {
    return { key: createPrivateKey({ key: first.der, format: 'der', type }) }
  } catch {
    return { fault: 'cannot be read: the private key is damaged or incomplete.' }
  }
}
