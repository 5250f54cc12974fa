import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { DoctorReport } from '@masthead/contract/schemas/operator.ts'
import type { Config } from '../config/config.ts'
import type { ConfigWarning } from '../config/config-warnings.ts'
import { openFilesLimit, openFilesWarning } from '../config/file-descriptors.ts'
import { type Context, type Database, openDatabase } from '../database/database.ts'
import type { Dns } from '../dns/dns.ts'
import { describeError, runDoctor } from '../doctor/check.ts'
import { doctorChecks } from '../doctor/checks.ts'
import { tryListeners } from '../doctor/edge/ports.ts'
import type { ForwardedRequests } from '../doctor/settings.ts'
import { second, systemClock } from '../kernel/clock.ts'
import { readKeyRing } from '../secrets/master-key.ts'
import { openAcme } from './open-certificates.ts'
import { configuredDns } from './open-dns.ts'

export interface DoctorContext {
  context: Context | null
  databaseFault?: string
  dns: Pick<Dns, 'resolve' | 'findZone' | 'askNameservers'>
  forwarded: ForwardedRequests | null
  configWarnings: readonly ConfigWarning[]
}

/** Runs every check once. */
export function examine(config: Config, examined: DoctorContext): Promise<DoctorReport> {
  const parts = {
    databaseFault: null,
    ...examined,
    config,
    listening: tryListeners(config),
    openFilesWarning: openFilesWarning(openFilesLimit()),
    masterKey: config.masterKey === null ? null : readKeyRing(config.masterKey),
    openAcme: () => openAcme(config, systemClock),
  }
  return runDoctor(doctorChecks, parts, { secrets: secretsIn(config) })
}

/** The same from outside a server, running or not. Changes nothing: tables are not even updated. */
export async function examineInstallation(
  config: Config,
  configWarnings: readonly ConfigWarning[],
): Promise<DoctorReport> {
  const file = join(config.dataFolder, 'masthead.db')
  const location =
    config.databaseUrl === null
      ? ({ dialect: 'sqlite', file } as const)
      : ({ dialect: 'postgres', url: config.databaseUrl } as const)
  const beside = { dns: configuredDns(config), forwarded: null, configWarnings }
  const silent = { warn: () => {} }
  // A database that hangs must not keep us longer than the checks.
  const options = { migrates: false, queryTimeout: 4 * second }
  let database: Database
  try {
    if (location.dialect === 'sqlite') await access(file, constants.R_OK | constants.W_OK)
    database = await openDatabase(location, silent, options)
  } catch (error) {
    const isNew = location.dialect === 'sqlite' && (error as NodeJS.ErrnoException).code === 'ENOENT'
    return examine(config, {
      ...beside,
      context: null,
      ...(!isNew && { databaseFault: describeError(error) }),
    })
  }
  try {
    return await examine(config, { ...beside, context: { database, now: systemClock } })
  } finally {
    await database.close()
  }
}

/** Counts requests of untrusted proxies. */
export function countForwarded(isProxy: (address: string) => boolean): {
  requests: ForwardedRequests
  count(request: IncomingMessage): void
} {
  const requests: ForwardedRequests = { total: 0, untrusted: 0, lastAddress: null }
  return {
    requests,
    count({ headers, socket: { remoteAddress } }) {
      requests.total++
      if (headers['x-forwarded-for'] === undefined || remoteAddress === undefined || isProxy(remoteAddress))
        return
      requests.untrusted++
      requests.lastAddress = remoteAddress
    },
  }
}

function secretsIn(config: Config): string[] {
  const passwords = [config.databaseUrl, config.redisUrl, config.mail?.url ?? null].map((url) =>
    url === null ? null : decodeURIComponent(new URL(url).password),
  )
  const { operatorKey, metricsToken, masterKey, cas, s3 } = config
  const keys = [
    operatorKey,
    metricsToken,
    ...(masterKey?.split(',') ?? []),
    ...cas.map(({ externalAccount }) => externalAccount?.hmacKey),
    s3?.secretAccessKey,
    s3?.sessionToken,
  ]
  return [...passwords, ...keys].filter((secret) => typeof secret === 'string').filter(Boolean)
}
