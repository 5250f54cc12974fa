import type { Config } from '../config/config.ts'
import type { ProcessMetrics } from './gathered-metrics.ts'

/** The settings an edge process gets. It does not read the environment itself. */
const edgeSettingNames = [
  'dataFolder',
  'databaseUrl',
  's3',
  'cacheBytes',
  'masterKey',
  'platformDomain',
  'dashboardHost',
  'host',
  'httpPort',
  'httpsPort',
  'publicHttpsPort',
  'httpsRedirect',
  'fastSockets',
  'ca',
  'caIdentities',
  'platformCertificate',
  'trustedProxies',
  'workers',
  'drainDelay',
  'stopGrace',
  'logLevel',
] as const satisfies (keyof Config)[]

export type EdgeSettings = Pick<Config, (typeof edgeSettingNames)[number]>

export function edgeSettingsOf(config: Config): EdgeSettings {
  const entries = edgeSettingNames.map((name) => [name, config[name]])
  return Object.fromEntries(entries) as EdgeSettings
}

export interface StartOrder {
  kind: 'start'
  settings: EdgeSettings
  /** Where the main process answers for the dashboard and the API. */
  platformSocket: string
}

/** Over the IPC channel of the forked process. */
export type ToEdge = StartOrder | { kind: 'catch-up' | 'metrics' } | { kind: 'stop'; graceMs: number }

/** `caught-up` answers one `catch-up`, and `metrics` one `metrics`. */
export type FromEdge = { kind: 'serving' | 'caught-up' } | { kind: 'metrics'; metrics: ProcessMetrics }
