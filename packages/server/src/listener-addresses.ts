import { networkInterfaces } from 'node:os'

/** The addresses under which a listener is reached: all of this machine's where it listens on all of them. */
export function listenerAddresses(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const reachable = interfaces.filter(({ family }) => host === '::' || family === 'IPv4')
  return reachable.map(({ address }) => address)
}
