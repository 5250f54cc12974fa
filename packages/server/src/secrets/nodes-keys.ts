import { hostname } from 'node:os'
import type { Context } from '../database/database.ts'
import { type NodeSettings, otherRunningVersions, runningNodes } from '../database/migrate/live-versions.ts'
import { formatList } from '../kernel/english.ts'
import { MasterKeyError, masterKeyPath } from './master-key.ts'
import type { MasterKeySource } from './open-sealing.ts'
import { findMasterKeyCheck } from './sealed-store.ts'
import { keyId, keyIdOf } from './sealing.ts'

/** Versions that do not know this migration do not tell what they run with. */
const firstToTell = '0043-running-nodes'

/** What others need to know of this node's master key. */
export function describeMasterKey({ given, dataFolder }: MasterKeySource): NodeSettings['masterKey'] {
  return given === null ? { file: masterKeyPath(dataFolder) } : { ids: given.map(keyId) }
}

/** A node that does not seal under the new key would seal under the old one, and not start again without it. */
export async function refuseIfNodesLackKey(
  { database }: Pick<Context, 'database'>,
  { given }: MasterKeySource,
): Promise<void> {
  const next = given === null ? null : keyId(given[0])
  const inUse = keyIdOf((await findMasterKeyCheck(database.read)) ?? '')
  if (next === inUse) return
  const versions = await otherRunningVersions(database.read, database.dialect, '')
  if (versions.some((newest) => newest < firstToTell))
    throw new MasterKeyError(
      'A node of an older version runs on this database and does not say which master key it has. Nothing was ' +
        'changed. Update or stop it and run this again. One that has stopped counts for a minute.',
    )
  const nodes = await runningNodes(database.read, database.dialect)
  const lacking = nodes.filter(({ masterKey }) =>
    next === null ? 'ids' in masterKey : !('ids' in masterKey) || masterKey.ids[0] !== next,
  )
  if (lacking.length === 0) return
  const names = formatList(lacking.map(nameOf))
  throw new MasterKeyError(
    next === null
      ? `${names} would not get the new key, because MASTHEAD_MASTER_KEY is set there. Nothing was changed. Set ` +
          'MASTHEAD_MASTER_KEY on every node and for this command, as --help says.'
      : `${names} would not seal under the new key ${next}. Nothing was changed. Set MASTHEAD_MASTER_KEY=new,old on ` +
          'every node, restart it, and run this again. A node that has crashed counts for a minute.',
  )
}

/** Nodes that read another file, unless both are the same one on a shared file system. */
export async function nodesWithOtherFile(
  { database }: Pick<Context, 'database'>,
  { given, dataFolder }: MasterKeySource,
): Promise<string[]> {
  if (given !== null) return []
  const own = masterKeyPath(dataFolder)
  const nodes = await runningNodes(database.read, database.dialect)
  return nodes
    .filter(({ host, masterKey }) => 'file' in masterKey && (host !== hostname() || masterKey.file !== own))
    .map((node) => `${nameOf(node)} reads ${'file' in node.masterKey ? node.masterKey.file : ''}`)
}

function nameOf({ host, pid }: NodeSettings): string {
  return `${host} (process ${pid})`
}
