import type { IssuingContext } from '../context.ts'
import { ensureRequested } from '../ensure-requested.ts'
import { findCertificate, isOnItsWay } from '../read.ts'
import type { PlatformCertificates } from './platform-certificates.ts'

/** One certificate a name, asked for when the name first is. Whoever wants it waits for it elsewhere. */
export function fromAcme(context: IssuingContext): PlatformCertificates {
  return {
    async find(name, accountId) {
      const found = await findCertificate(context, name)
      if (found !== null && found.notAfter > context.now()) return found
      await ensureRequested(context, name, accountId === null ? null : { id: accountId, isPaying: false })
      // One that has expired is better than none, unless a new one is about to come.
      return found !== null && (await isOnItsWay(context, name)) ? null : found
    },
    close() {},
  }
}
