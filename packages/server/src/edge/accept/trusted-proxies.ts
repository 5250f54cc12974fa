import { callerOf } from '../../limits/caller-address.ts'

/** The caller whose share of a limit an address uses. Null for a proxy, which speaks for many clients. */
export function callerUnlessProxy(address: string, isProxy: (address: string) => boolean): string | null {
  return isProxy(address) ? null : callerOf(address)
}
