import { closestMatch } from '@masthead/contract/text/closest-match.ts'

/** Every variable that the server reads. */
const settingNames = [
  'MASTHEAD_BLOBS',
  'MASTHEAD_S3_REGION',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'MASTHEAD_S3_ACCESS_KEY_ID',
  'AWS_ACCESS_KEY_ID',
  'MASTHEAD_S3_SECRET_ACCESS_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'MASTHEAD_S3_ENDPOINT',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL',
  'AWS_SESSION_TOKEN',
  'MASTHEAD_S3_PATH_STYLE',
  'MASTHEAD_CA',
  'MASTHEAD_CA_EAB_KID',
  'MASTHEAD_CA_EAB_HMAC_KEY',
  'MASTHEAD_CA_CHAIN',
  'MASTHEAD_CA_BUDGET',
  'MASTHEAD_CA_IDENTITIES',
  'MASTHEAD_CA_ROOTS',
  'MASTHEAD_CA_CONTACT',
  'MASTHEAD_HTTPS_PORT',
  'MASTHEAD_DATA',
  'MASTHEAD_PLATFORM_DOMAIN',
  'MASTHEAD_DASHBOARD_HOST',
  'MASTHEAD_HOST',
  'MASTHEAD_HTTP_PORT',
  'MASTHEAD_PUBLIC_HTTPS_PORT',
  'MASTHEAD_OPERATOR_KEY',
  'MASTHEAD_METRICS_TOKEN',
  'MASTHEAD_SIGNUP',
  'MASTHEAD_BILLING',
  'MASTHEAD_ROLES',
  'MASTHEAD_WORKERS',
  'DATABASE_URL',
  'REDIS_URL',
  'MASTHEAD_TRUSTED_PROXIES',
  'MASTHEAD_COUNTRY_HEADER',
  'MASTHEAD_PROXY_RANGES',
  'MASTHEAD_EDGE_ADDRESSES',
  'MASTHEAD_FAST_SOCKETS',
  'MASTHEAD_HTTPS_REDIRECT',
  'MASTHEAD_PLATFORM_CERTIFICATE',
  'MASTHEAD_PLATFORM_KEY',
  'MASTHEAD_MASTER_KEY',
  'MASTHEAD_DNS_SERVERS',
  'MASTHEAD_DNS_PORT',
  'MASTHEAD_DNS_LISTEN',
  'MASTHEAD_MAX_FILES',
  'MASTHEAD_MAX_FILE_BYTES',
  'MASTHEAD_MAX_DEPLOYMENT_BYTES',
  'MASTHEAD_SMTP_URL',
  'MASTHEAD_MAIL_FROM',
  'LISTEN_PID',
  'LISTEN_FDS',
  'MASTHEAD_DRAIN_DELAY',
  'MASTHEAD_STOP_GRACE',
  'MASTHEAD_CACHE_BYTES',
  'MASTHEAD_LOG',
  'MASTHEAD_LAB_PORT',
] as const

export type SettingName = (typeof settingNames)[number]

/** Their values are never shown. */
export const secretSettings: ReadonlySet<SettingName> = new Set([
  'MASTHEAD_OPERATOR_KEY',
  'MASTHEAD_METRICS_TOKEN',
  'MASTHEAD_MASTER_KEY',
  'MASTHEAD_CA_EAB_HMAC_KEY',
  'MASTHEAD_S3_SECRET_ACCESS_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'DATABASE_URL',
  'REDIS_URL',
  'MASTHEAD_SMTP_URL',
])

/** Of the command line. */
const otherPrograms = ['MASTHEAD_SERVER', 'MASTHEAD_KEY', 'MASTHEAD_ID_TOKEN', 'MASTHEAD_SITE_PASSWORD']
const known: ReadonlySet<string> = new Set([...settingNames, ...otherPrograms])

/** Variables that look like settings and are none, such as a misspelt one. */
export function unknownSettings(environment: Record<string, string | undefined>): string[] {
  const isSet = (name: string) => (environment[name] ?? '') !== ''
  const services = Object.keys(environment)
    .filter((name) => name.endsWith('_SERVICE_HOST'))
    .map((name) => name.replace(/SERVICE_HOST$/, ''))
  // Kubernetes sets these in every container, for each service.
  const isOfService = (name: string) =>
    services.some((prefix) => name.startsWith(`${prefix}SERVICE_`) || name.startsWith(`${prefix}PORT`))
  return Object.keys(environment).filter(
    (name) => /^MASTHEAD_(?!TEST_)/i.test(name) && isSet(name) && !known.has(name) && !isOfService(name),
  )
}

/** Names that are shorter than ours. */
const shortNames: Record<string, SettingName> = {
  port: 'MASTHEAD_HTTP_PORT',
  domain: 'MASTHEAD_PLATFORM_DOMAIN',
}
const byWords = new Map(settingNames.map((name) => [words(name), name]))

/** The setting that was meant, if one is similar. */
export function closestSetting(name: string): SettingName | null {
  const given = words(name)
  return shortNames[given] ?? byWords.get(closestMatch(given, byWords.keys()) ?? '') ?? null
}

function words(name: string): string {
  return name.toLowerCase().replace(/^masthead_/, '')
}
