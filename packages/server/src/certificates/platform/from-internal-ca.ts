import { day } from '../../clock.ts'
import { issueLeaf } from '../internal-ca/leaf.ts'
import type { InternalRoot } from '../internal-ca/root.ts'
import { newKeyPair, privateKeyPem } from '../key-pair.ts'
import type { PlatformCertificates } from './platform-certificates.ts'

/** Before a certificate ends it is made anew, for clients whose clock is ahead of ours. */
const replacedBefore = day

/** Made at the first handshake, by each process for itself: it costs a signature, and nothing has to be kept. */
export function fromInternalCa(root: InternalRoot, now: () => number): PlatformCertificates {
  return {
    async find(name) {
      const keys = await newKeyPair()
      const { chainPem, serial, notAfter } = await issueLeaf(root, {
        name,
        publicKey: keys.publicKey,
        now: now(),
      })
      return { chain: chainPem, keyPem: privateKeyPem(keys), serial, notAfter: notAfter - replacedBefore }
    },
    close() {},
  }
}
