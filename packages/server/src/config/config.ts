import { resolve } from 'node:path'
import { defaultUploadLimits, type UploadLimits } from '@masthead/contract/deployments.ts'
import {
  addressList,
  base64Url,
  type CaBudget,
  caBudget,
  certificateAuthorities,
  countryHeader,
  edgeAddressList,
  type Fault,
  filePath,
  forEachAuthority,
  hostname,
  hostnameList,
  keyRing,
  listenAddress,
  listenAt,
  mailAddress,
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
  smtpUrl,
  text,
  wholeNumber,
} from './config-values.ts'
import { type ProxyRanges, proxyRangesFile, publishedRanges } from './proxy-ranges.ts'
import { type S3Settings, s3Credential, s3Endpoint, s3Location, s3Region } from './s3-values.ts'
import { type SettingName, secretSettings, unknownSettings } from './setting-names.ts'

export type ProcessRole = 'api' | 'edge' | 'worker'

export interface Config {
  dataFolder: string
  platformDomain: string
  dashboardHost: string
  host: string
  httpPort: number
  httpsPort: number
  /** The port in links and redirects to HTTPS. */
  publicHttpsPort: number
  /** Null if it is generated in the data folder. */
  operatorKey: string | null
  /** Gives access to `/metrics` and nothing else. */
  metricsToken: string | null
  signup: 'open' | 'invite'
  billing: 'none' | 'external'
  roles: ReadonlySet<ProcessRole>
  /** Edge processes. With 1 the edge runs in the main process. */
  workers: number
  databaseUrl: string | null
  /** Null if files are in the data folder. */
  s3: S3Settings | null
  redisUrl: string | null
  trustedProxies: readonly string[]
  /** The header in which they tell where visitors are; null if they do not. */
  countryHeader: string | null
  /** From where CDNs connect for the domains that are marked as proxied. */
  proxyRanges: ProxyRanges
  /** Public addresses of the edge. */
  edgeAddresses: readonly string[]
  /** In the order in which they are asked. */
  cas: readonly [CaConfig, ...CaConfig[]]
  httpsRedirect: boolean
  /** Whether sockets of sites are read and written past their streams. */
  fastSockets: boolean
  /** PEM files of the platform's wildcard certificate; null for one certificate per name. */
  platformCertificate: { certificateFile: string; keyFile: string } | null
  /** Null if it is in the data folder. Read by secrets/master-key.ts. */
  masterKey: string | null
  /** Null for the lab's, or the system's if there is no lab. */
  dnsServers: readonly { address: string; port: number }[] | null
  /** Null for 53, or the lab's port if its DNS is used. */
  dnsPort: number | null
  /** Where the DNS of `acme.{platform}` listens; null if there is none. */
  dnsListen: { address: string; port: number } | null
  /** Null if there is no lab. */
  lab: { port: number; chosen: boolean } | null
  uploadLimits: UploadLimits
  /** Null if this server sends no mail. */
  mail: MailSettings | null
  /** Listening sockets that the service manager has opened, from descriptor 3 on (sd_listen_fds). */
  inheritedSockets: number
  /** How long a process that stops serves as usual while it is no longer ready, in milliseconds. */
  drainDelay: number
  /** How long running requests may take after that, in milliseconds. */
  stopGrace: number
  /** The limit of the cache for files in S3; null for one that fits the disk. */
  cacheBytes: number | null
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Variables that look like settings and are none. */
  unknownSettings: readonly string[]
}

export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password if the mail server wants them. */
  url: string
  from: string
}

export interface CaConfig {
  /** `internal`, a known name, or the URL of an ACME directory. */
  name: string
  /** PEM file of the roots trusted for connections to the CA. */
  rootsFile: string | null
  contact: string | null
  /** The common name of an issuer in the preferred chain; null for the CA's default chain. */
  chain: string | null
  externalAccount: { kid: string; hmacKey: string } | null
  /** Its rate limits; null for the known ones, or none. */
  budget: CaBudget | 'none' | null
  /** The names in CAA records that allow it; null for its known ones. */
  identities: readonly string[] | null
}

const defaultLabPort = 8053

/** The only place that reads the environment. Reports all invalid values together, one per line. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Readonly<Config> {
  const faults: string[] = []
  function read<T>(name: SettingName, fallback: T, parse: Read<T>): T {
    const value = environment[name]
    if (value === undefined || value === '') return fallback
    const result = parse(value)
    if (!isFault(result)) return result
    const shown = secretSettings.has(name) ? '(not shown)' : JSON.stringify(withoutUser(value))
    faults.push(`${name}: ${shown} is not allowed. ${result.fault}`)
    return fallback
  }

  /** For two settings that need each other. */
  function pair<T>(
    [firstName, first]: [string, string | null],
    [secondName, second]: [string, string | null],
    join: (first: string, second: string) => T,
  ): T | null {
    if (first !== null && second !== null) return join(first, second)
    if (first !== second) faults.push(`${firstName} and ${secondName} need each other. Set both or neither.`)
    return null
  }

  /** The first that is set. */
  function readFirst<T>(names: readonly SettingName[], fallback: T, parse: Read<T>): T {
    const name = names.find((one) => (environment[one] ?? '') !== '')
    return name === undefined ? fallback : read(name, fallback, parse)
  }

  function readS3(): S3Settings | null {
    const location = read<{ bucket: string; prefix: string } | null>('MASTHEAD_BLOBS', null, s3Location)
    if (location === null) return null
    const region = readFirst(
      ['MASTHEAD_S3_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION'],
      'us-east-1',
      s3Region,
    )
    const accessKeyId = readFirst(['MASTHEAD_S3_ACCESS_KEY_ID', 'AWS_ACCESS_KEY_ID'], '', s3Credential)
    const secretAccessKey = readFirst(
      ['MASTHEAD_S3_SECRET_ACCESS_KEY', 'AWS_SECRET_ACCESS_KEY'],
      '',
      s3Credential,
    )
    if (accessKeyId === '' || secretAccessKey === '') {
      faults.push('MASTHEAD_BLOBS needs MASTHEAD_S3_ACCESS_KEY_ID and MASTHEAD_S3_SECRET_ACCESS_KEY.')
    }
    // A session belongs to the key of the same names.
    const isOwnKey = read('MASTHEAD_S3_ACCESS_KEY_ID', '', text) !== ''
    return {
      ...location,
      region,
      endpoint: readFirst(
        ['MASTHEAD_S3_ENDPOINT', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
        `https://s3.${region}.amazonaws.com`,
        s3Endpoint,
      ),
      accessKeyId,
      secretAccessKey,
      sessionToken: isOwnKey ? null : read('AWS_SESSION_TOKEN', null, s3Credential),
      pathStyle: read('MASTHEAD_S3_PATH_STYLE', 'true', oneOf('true', 'false')) === 'true',
    }
  }

  /** The first certificate authority, and those that follow if it cannot issue. */
  function readAuthorities(): Config['cas'] {
    const [first = 'internal', ...others] = read('MASTHEAD_CA', ['internal'], certificateAuthorities)
    const count = 1 + others.length
    function each<T>(name: SettingName, separator: string, parse: Read<T>): (T | null)[] {
      const values = read<(T | null)[]>(name, [], forEachAuthority(separator, parse))
      if (values.length > Math.max(count, 1)) {
        faults.push(
          `${name} has ${values.length} values, but MASTHEAD_CA names ${count} (between them: ${separator}).`,
        )
      }
      return values
    }
    const kids = each('MASTHEAD_CA_EAB_KID', ',', text)
    const hmacKeys = each('MASTHEAD_CA_EAB_HMAC_KEY', ',', base64Url)
    const chains = each('MASTHEAD_CA_CHAIN', ';', text)
    const budgets = each('MASTHEAD_CA_BUDGET', ';', caBudget)
    const identities = each('MASTHEAD_CA_IDENTITIES', ';', hostnameList)
    const shared = {
      rootsFile: read('MASTHEAD_CA_ROOTS', null, filePath),
      contact: read('MASTHEAD_CA_CONTACT', null, mailAddress),
    }
    const at = (name: string, index: number): CaConfig => ({
      name,
      ...shared,
      chain: chains[index] ?? null,
      externalAccount: pair(
        ['MASTHEAD_CA_EAB_KID', kids[index] ?? null],
        ['MASTHEAD_CA_EAB_HMAC_KEY', hmacKeys[index] ?? null],
        (kid, hmacKey) => ({ kid, hmacKey }),
      ),
      budget: budgets[index] ?? null,
      identities: identities[index] ?? null,
    })
    return [at(first, 0), ...others.map((name, index) => at(name, index + 1))]
  }

  const httpsPort = read('MASTHEAD_HTTPS_PORT', 8443, port)
  const cas = readAuthorities()
  const config: Config = {
    dataFolder: resolve(read('MASTHEAD_DATA', './data', text)),
    platformDomain: read('MASTHEAD_PLATFORM_DOMAIN', 'masthead.localhost', hostname),
    dashboardHost: read('MASTHEAD_DASHBOARD_HOST', 'localhost', hostname),
    host: read('MASTHEAD_HOST', '127.0.0.1', listenAddress),
    httpPort: read('MASTHEAD_HTTP_PORT', 8080, port),
    httpsPort,
    publicHttpsPort: read('MASTHEAD_PUBLIC_HTTPS_PORT', httpsPort, port),
    operatorKey: read('MASTHEAD_OPERATOR_KEY', null, secretOfLength(32)),
    metricsToken: read('MASTHEAD_METRICS_TOKEN', null, secretOfLength(32)),
    signup: read('MASTHEAD_SIGNUP', 'invite', oneOf('open', 'invite')),
    billing: read('MASTHEAD_BILLING', 'none', oneOf('none', 'external')),
    roles: read(
      'MASTHEAD_ROLES',
      new Set(['api', 'edge', 'worker'] as const),
      roleList('api', 'edge', 'worker'),
    ),
    workers: read('MASTHEAD_WORKERS', 1, wholeNumber(1, 128)),
    databaseUrl: read('DATABASE_URL', null, postgresUrl),
    s3: readS3(),
    redisUrl: read('REDIS_URL', null, redisUrl),
    trustedProxies: read('MASTHEAD_TRUSTED_PROXIES', [], addressList),
    countryHeader: read('MASTHEAD_COUNTRY_HEADER', null, countryHeader),
    proxyRanges: read('MASTHEAD_PROXY_RANGES', publishedRanges, proxyRangesFile),
    edgeAddresses: read('MASTHEAD_EDGE_ADDRESSES', ['127.0.0.1'], edgeAddressList),
    cas,
    fastSockets: read('MASTHEAD_FAST_SOCKETS', 'on', oneOf('on', 'off')) === 'on',
    httpsRedirect:
      read('MASTHEAD_HTTPS_REDIRECT', cas[0].name === 'internal' ? 'off' : 'on', oneOf('on', 'off')) === 'on',
    platformCertificate: pair(
      ['MASTHEAD_PLATFORM_CERTIFICATE', read<string | null>('MASTHEAD_PLATFORM_CERTIFICATE', null, filePath)],
      ['MASTHEAD_PLATFORM_KEY', read<string | null>('MASTHEAD_PLATFORM_KEY', null, filePath)],
      (certificateFile, keyFile) => ({ certificateFile, keyFile }),
    ),
    masterKey: read('MASTHEAD_MASTER_KEY', null, keyRing),
    dnsServers: read('MASTHEAD_DNS_SERVERS', null, serverList),
    dnsPort: read('MASTHEAD_DNS_PORT', null, port),
    dnsListen: read('MASTHEAD_DNS_LISTEN', null, listenAt),
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
    mail: pair(
      ['MASTHEAD_SMTP_URL', read<string | null>('MASTHEAD_SMTP_URL', null, smtpUrl)],
      ['MASTHEAD_MAIL_FROM', read<string | null>('MASTHEAD_MAIL_FROM', null, mailAddress)],
      (url, from) => ({ url, from }),
    ),
    inheritedSockets:
      read('LISTEN_PID', null, wholeNumber(1, 2 ** 31)) === process.pid
        ? read('LISTEN_FDS', 0, wholeNumber(0, 2))
        : 0,
    drainDelay: read('MASTHEAD_DRAIN_DELAY', 0, wholeNumber(0, 3600)) * 1000,
    stopGrace: read('MASTHEAD_STOP_GRACE', 8, wholeNumber(0, 3600)) * 1000,
    cacheBytes: read('MASTHEAD_CACHE_BYTES', null, positiveNumber),
    logLevel: read('MASTHEAD_LOG', 'info', oneOf('debug', 'info', 'warn', 'error', 'silent')),
    unknownSettings: unknownSettings(environment),
  }
  const labPort = read<number | 'off' | null>('MASTHEAD_LAB_PORT', null, portOrOff)
  if (labPort !== 'off' && leavesRoomForLab(config.platformDomain)) {
    config.lab = { port: labPort ?? defaultLabPort, chosen: labPort !== null }
  }
  if (config.roles.has('edge') && config.httpPort === config.httpsPort) {
    faults.push(
      `MASTHEAD_HTTP_PORT and MASTHEAD_HTTPS_PORT are both ${config.httpPort}. Use a port for each.`,
    )
  }
  if (config.countryHeader !== null && config.trustedProxies.length === 0) {
    faults.push('MASTHEAD_COUNTRY_HEADER needs MASTHEAD_TRUSTED_PROXIES: anyone else could send it too.')
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config)
}

/** For starting this program again. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return process.env
}

/** Of an address such as https://user:password@host, also if it cannot be parsed. */
function withoutUser(value: string): string {
  return value.replace(/(:\/*).*@/s, '$1(not shown)@')
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/** The lab answers for .localhost. If the platform domain is all of it, no name is left for a custom domain. */
function leavesRoomForLab(platformDomain: string): boolean {
  return platformDomain.endsWith('.localhost')
}

function isFault(result: unknown): result is Fault {
  return typeof result === 'object' && result !== null && 'fault' in result
}
