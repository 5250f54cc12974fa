import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { ConfigWarning } from '../config/config-warnings.ts'
import type { Context } from '../database/database.ts'
import { type NodeSettings, runningNodes } from '../database/migrate/live-versions.ts'
import { findLeftLog } from '../database/sqlite.ts'
import type { Dns } from '../dns/dns.ts'
import type { KeyRing } from '../secrets/master-key.ts'
import { type AuthorityParts, checkAuthorities } from './authority.ts'
import { type DoctorCheck, ok, problem, skipped, warning } from './check.ts'
import { checkClocks } from './clocks.ts'
import { checkDisk, checkPermissions } from './data-folder.ts'
import { checkNames } from './dns-names.ts'
import { checkEdge, checkListeners, type ListenerState } from './edge/ports.ts'
import { checkFiles } from './files/files.ts'
import { checkMail } from './mail.ts'
import { checkMasterKey } from './master-key.ts'
import { checkChallengeDns } from './nameserver/challenge-dns.ts'
import { checkPlatformCertificate } from './nameserver/platform-certificate.ts'
import { checkDatabase, checkNotifications } from './postgres.ts'
import { checkRedis } from './redis.ts'
import {
  type ForwardedRequests,
  judgeEdgeAddresses,
  judgeNodes,
  judgeProxies,
  judgeSettings,
} from './settings.ts'

export interface DoctorParts extends Pick<AuthorityParts, 'openAcme'> {
  config: Config
  /** Null before the first start, and if the database cannot be opened. */
  context: Context | null
  /** Why it cannot be opened. */
  databaseFault: string | null
  dns: Pick<Dns, 'resolve' | 'findZone' | 'askNameservers'>
  listening: Promise<ListenerState[]>
  /** What the start warns about. */
  configWarnings: readonly ConfigWarning[]
  openFilesWarning: ConfigWarning | null
  masterKey: KeyRing | null
  /** Only a running server knows. */
  forwarded: ForwardedRequests | null
}

/** Everything that is checked, in the order of the report. */
export const doctorChecks: readonly DoctorCheck<DoctorParts>[] = [
  {
    id: 'settings',
    title: 'Settings',
    async run({ config, context, configWarnings: warnings, openAcme }) {
      // A roots file that cannot be read is the CA check's finding.
      const acme = await openAcme().catch(() => [])
      const directoryUrls = acme.map(({ authority }) => authority.directoryUrl)
      const nodes = context === null ? [] : await nodesOn(context)
      return [...judgeNodes(config, nodes), ...judgeSettings(config, { warnings, directoryUrls })]
    },
  },
  {
    id: 'ports',
    title: 'Ports',
    run: async ({ config, context, listening }, signal) =>
      checkListeners(config, context, await listening, signal),
  },
  {
    id: 'edge-addresses',
    title: 'Edge addresses',
    run: async ({ config }) => judgeEdgeAddresses(config),
  },
  {
    id: 'edge',
    title: 'Visitors',
    run: async ({ config, context, listening }, signal) =>
      checkEdge(config, context, await listening, signal).catch(() => [
        skipped('The database could not be asked for a token.'),
      ]),
  },
  {
    id: 'proxies',
    title: 'Trusted proxies',
    run: async ({ config, forwarded }) => judgeProxies(config.trustedProxies, forwarded),
  },
  {
    id: 'dns',
    title: 'DNS',
    run: ({ config, dns }, signal) => checkNames(config, dns, signal),
  },
  {
    id: 'ca',
    title: 'Certificates',
    run: (parts, signal) => checkAuthorities(parts, signal),
  },
  {
    id: 'challenge-dns',
    title: 'Certificates by DNS',
    run: ({ config, dns }, signal) => checkChallengeDns(config, dns, signal),
  },
  {
    id: 'platform-certificate',
    title: 'Certificates of projects',
    run: ({ config, context, dns }, signal) => checkPlatformCertificate(config, context, dns, signal),
  },
  {
    id: 'database',
    title: 'Database',
    async run({ config, context, databaseFault }, signal) {
      if (databaseFault !== null)
        return problem(
          `The database cannot be opened: ${databaseFault}.`,
          'Run this as the user of the server. If its file is damaged, restore a backup.',
        )
      const file = join(config.dataFolder, 'masthead.db')
      if (context === null) {
        const left = findLeftLog(file)
        if (left !== null) return problem(`${left.problem} No server starts beside it.`, left.fix)
        return skipped(`${file} does not exist yet. The first start creates it.`)
      }
      const { database } = context
      if (database.dialect === 'sqlite') return ok(`SQLite, in ${file}.`)
      // The main process and its edge processes.
      const processes = config.workers === 1 ? 1 : config.workers + 1
      return checkDatabase(database, processes, signal)
    },
  },
  {
    id: 'notifications',
    title: 'Notifications',
    async run({ context }, signal) {
      if (context === null || context.database.dialect === 'sqlite') return skipped('Only with PostgreSQL.')
      return checkNotifications(context.database, signal).catch(() =>
        skipped('The database does not answer.'),
      )
    },
  },
  {
    id: 'redis',
    title: 'Redis',
    run: async ({ config: { redisUrl } }, signal) =>
      redisUrl === null
        ? skipped('Not used. Each process counts requests itself.')
        : checkRedis(redisUrl, signal),
  },
  {
    id: 'mail',
    title: 'Mail',
    run: async ({ config: { mail } }, signal) =>
      mail === null
        ? skipped('Not used. Owners see in the dashboard what needs their attention.')
        : checkMail(mail, signal),
  },
  {
    id: 'clocks',
    title: 'Clocks',
    run: ({ config, context }, signal) => checkClocks(config.redisUrl, context, signal),
  },
  {
    id: 'files',
    title: 'File storage',
    run: ({ config, context }, signal) => checkFiles(config, context, signal),
  },
  {
    id: 'disk',
    title: 'Disk space',
    run: ({ config }) => checkDisk(config.dataFolder, config.uploadLimits.bytesPerDeployment),
  },
  {
    id: 'permissions',
    title: 'File permissions',
    run: ({ config }) =>
      checkPermissions(
        config.dataFolder,
        config.platformCertificate === null ? [] : [config.platformCertificate.keyFile],
      ),
  },
  {
    id: 'master-key',
    title: 'Master key',
    run: async ({ masterKey, context, databaseFault, config: { dataFolder } }) =>
      databaseFault === null
        ? checkMasterKey(context, { given: masterKey, dataFolder })
        : skipped('Without the database we cannot tell.'),
  },
  {
    id: 'open-files',
    title: 'Open files',
    async run({ openFilesWarning }) {
      if (openFilesWarning === null) return ok('The limit is high enough.')
      return warning(openFilesWarning.message, openFilesWarning.fix ?? '')
    },
  },
]

/** The database has a check of its own, and its tables may be of an older version. */
function nodesOn({ database }: Context): Promise<NodeSettings[]> {
  return runningNodes(database.read, database.dialect).catch(() => [])
}
