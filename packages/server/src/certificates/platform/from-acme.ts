import { second } from '../../clock.ts'
import type { IssuingContext } from '../context.ts'
import { findCertificate } from '../read.ts'
import { requestCertificate } from '../request-certificate.ts'
import type { PlatformCertificates } from './platform-certificates.ts'

/** A handshake waits this long for a certificate that is being got; the next one finds it. */
const longestWait = 8 * second

/** One certificate a name, got when the name is first asked for. */
export function fromAcme(context: IssuingContext): PlatformCertificates {
  const { database, now, changes } = context
  const waiting = new Map<string, Set<() => void>>()
  changes.subscribe((change) => {
    if (change === null) for (const name of waiting.keys()) wake(name)
    else if (change.kind === 'certificate') wake(change.subject)
  })

  function wake(name: string): void {
    for (const goOn of waiting.get(name) ?? []) goOn()
  }

  async function nextChange(name: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const others = waiting.get(name) ?? new Set()
    waiting.set(name, others.add(resolve))
    const timer = setTimeout(resolve, longestWait)
    await promise
    clearTimeout(timer)
    others.delete(resolve)
    if (others.size === 0) waiting.delete(name)
  }

  return {
    async find(name) {
      const found = await findCertificate(context, name)
      if (found !== null) return found
      const changed = nextChange(name)
      await database.write((tx) => requestCertificate(context, tx, { name, reason: 'first', at: now() }))
      await changed
      return findCertificate(context, name)
    },
    close() {},
  }
}
