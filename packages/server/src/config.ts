import { resolve } from 'node:path'
import { defaultUploadLimits, type UploadLimits } from '@masthead/contract/upload-limits.ts'
import {
  addressList,
  edgeAddressList,
  type Fault,
  hostname,
  hostnameList,
  listenAddress,
  oneOf,
  port,
  portOrOff,
  positiveNumber,
  postgresUrl,
  type Read,
  redisUrl,
  roleList,
  secretOfLength,
  serverList,
  text,
} from './config-values.ts'

export type Role = 'api' | 'edge' | 'worker'

export interface Config {
  dataFolder: string
  platformDomain: string
  dashboardHost: string
  host: string
  httpPort: number
  /** Null: generated into the data folder. */
  operatorKey: string | null
  signup: 'open' | 'invite'
  billing: 'none' | 'external'
  roles: ReadonlySet<Role>
  databaseUrl: string | null
  redisUrl: string | null
  trustedProxies: readonly string[]
  /** Public addresses of the edge. */
  edgeAddresses: readonly string[]
  /** Names by which CAA records allow the certificate authority; none: CAA is not looked at. */
  caIdentities: readonly string[]
  /** Null: those of the lab, or of the system where there is no lab. */
  dnsServers: readonly { address: string; port: number }[] | null
  /** Null: 53, or the lab's where its DNS is the one asked. */
  dnsPort: number | null
  /** Null: no lab. */
  lab: { port: number; chosen: boolean } | null
  uploadLimits: UploadLimits
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

const defaultLabPort = 8053

/** Their values hold passwords. */
const secret: ReadonlySet<string> = new Set(['MASTHEAD_OPERATOR_KEY', 'DATABASE_URL', 'REDIS_URL'])

/** Reads the environment, the one place that does. All wrong values are told at once, a line each. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Readonly<Config> {
  const faults: string[] = []
  function read<T>(name: string, otherwise: T, parse: Read<T>): T {
    const value = environment[name]
    if (value === undefined || value === '') return otherwise
    const result = parse(value)
    if (!isFault(result)) return result
    const shown = secret.has(name) ? '(not shown)' : JSON.stringify(value)
    faults.push(`${name}: ${shown} is not allowed; ${result.fault}`)
    return otherwise
  }

  const config: Config = {
    dataFolder: resolve(read('MASTHEAD_DATA', './data', text)),
    platformDomain: read('MASTHEAD_PLATFORM_DOMAIN', 'masthead.localhost', hostname),
    dashboardHost: read('MASTHEAD_DASHBOARD_HOST', 'localhost', hostname),
    host: read('MASTHEAD_HOST', '127.0.0.1', listenAddress),
    httpPort: read('MASTHEAD_HTTP_PORT', 8080, port),
    operatorKey: read('MASTHEAD_OPERATOR_KEY', null, secretOfLength(32)),
    signup: read('MASTHEAD_SIGNUP', 'invite', oneOf('open', 'invite')),
    billing: read('MASTHEAD_BILLING', 'none', oneOf('none', 'external')),
    roles: read(
      'MASTHEAD_ROLES',
      new Set(['api', 'edge', 'worker'] as const),
      roleList('api', 'edge', 'worker'),
    ),
    databaseUrl: read('DATABASE_URL', null, postgresUrl),
    redisUrl: read('REDIS_URL', null, redisUrl),
    trustedProxies: read('MASTHEAD_TRUSTED_PROXIES', [], addressList),
    edgeAddresses: read('MASTHEAD_EDGE_ADDRESSES', ['127.0.0.1'], edgeAddressList),
    caIdentities: read('MASTHEAD_CA_IDENTITIES', [], hostnameList),
    dnsServers: read('MASTHEAD_DNS_SERVERS', null, serverList),
    dnsPort: read('MASTHEAD_DNS_PORT', null, port),
    lab: null,
    uploadLimits: {
      files: read('MASTHEAD_MAX_FILES', defaultUploadLimits.files, positiveNumber),
      bytesPerFile: read('MASTHEAD_MAX_FILE_BYTES', defaultUploadLimits.bytesPerFile, positiveNumber),
      bytesPerDeployment: read(
        'MASTHEAD_MAX_DEPLOYMENT_BYTES',
        defaultUploadLimits.bytesPerDeployment,
        positiveNumber,
      ),
    },
    logLevel: read('MASTHEAD_LOG', 'info', oneOf('debug', 'info', 'warn', 'error', 'silent')),
  }
  const labPort = read<number | 'off' | null>('MASTHEAD_LAB_PORT', null, portOrOff)
  if (labPort !== 'off' && isLocal(config.platformDomain)) {
    config.lab = { port: labPort ?? defaultLabPort, chosen: labPort !== null }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config)
}

/** What would work, but is not wise. */
export function configWarnings({ platformDomain, dashboardHost }: Config): string[] {
  if (dashboardHost !== platformDomain && !dashboardHost.endsWith(`.${platformDomain}`)) return []
  return [
    `MASTHEAD_DASHBOARD_HOST ${dashboardHost} lies under the platform domain ${platformDomain}: published sites ` +
      'are same-site with the dashboard. Use a name outside it.',
  ]
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

function isLocal(platformDomain: string): boolean {
  return platformDomain === 'localhost' || platformDomain.endsWith('.localhost')
}

function isFault(result: unknown): result is Fault {
  return typeof result === 'object' && result !== null && 'fault' in result
}
