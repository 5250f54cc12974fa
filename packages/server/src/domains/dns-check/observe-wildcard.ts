import { randomBytes } from 'node:crypto'
import type { Dns } from '../../dns/dns.ts'
import { parentName } from '../../dns/domain-name.ts'
import type { Wanted } from '../records.ts'
import type { SeenRecord } from './observation.ts'

/**
 * Asks for a name beside this one that nobody can have set: if it has the same records, a wildcard answers for
 * both. Above an apex there is only a registry.
 */
export async function isServedByWildcard(
  dns: Pick<Dns, 'resolve'>,
  { hostname, kind }: Pick<Wanted, 'hostname' | 'kind'>,
  seen: SeenRecord[][],
): Promise<boolean> {
  const [record] = seen.flat()
  if (kind === 'apex' || record === undefined) return false
  const sibling = `${randomBytes(8).toString('hex')}.${parentName(hostname)}`
  const { answers } = await dns.resolve(sibling, record.type)
  return answers.some(
    ({ name, type, value }) => name === sibling && type === record.type && value === record.value,
  )
}
