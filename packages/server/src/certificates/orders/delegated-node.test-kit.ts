import { openDatabase } from '../../database/database.ts'
import { createAcmeClient } from '../acme/acme-client.ts'
import { fetchWithRoots } from '../acme/fetch-with-roots.ts'
import { unknownAuthority } from '../authorities/authorities.ts'
import { startNode } from '../issuing.test-kit.ts'
import { createAcmeIssuer } from './acme-issuer.ts'
import type { Delegation, Delegations } from './delegations.ts'

export const platform = 'pages.test'
export const count = 200
export const names = Array.from({ length: count }, (_, index) => `n${index}.acme.test`)
export const labelOf = (index: number) => `label${String(index).padStart(5, '0')}`

/** Each of the names is delegated to a label of its own. */
export const delegations: Delegations = {
  async find(name: string): Promise<Delegation> {
    const label = labelOf(names.indexOf(name))
    const value = `${label}.acme.${platform}`
    return { label, isOnlyWay: true, record: { type: 'CNAME', fqdn: `_acme-challenge.${name}`, value } }
  },
}

export interface NodeSettings {
  place: Parameters<typeof openDatabase>[0]
  directoryUrl: string
  rootsPem: string
  /** The master key, in hex. */
  key: string
}

/** Works on certificate jobs until it is killed. Prints a line for each certificate. */
export async function runNode({ place, directoryUrl, rootsPem, key }: NodeSettings): Promise<void> {
  const database = await openDatabase(place, { warn: () => {} })
  const node = await startNode(database, {
    issuer: (context) =>
      createAcmeIssuer(context, {
        authority: unknownAuthority(directoryUrl),
        client: createAcmeClient({ directoryUrl, fetch: fetchWithRoots(rootsPem), now: context.now }),
        caaLookUp: async () => ({ records: [] }),
        delegations,
      }),
    concurrency: 20,
    key: Buffer.from(key, 'hex'),
  })
  node.work()
  let told = 0
  await node.until(() => {
    for (; told < node.installed.length; told++) process.stdout.write('installed\n')
    return false
  })
}
