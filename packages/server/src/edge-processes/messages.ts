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
  'cas',
  'platformCertificate',
  'trustedProxies',
  'countryHeader',
  'proxyRanges',
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

/** Comes with a handle. Before the order to start: a socket to listen on instead of opening one. */
export interface SocketMessage {
  kind: 'socket'
  host: string
  port: number
}

/** Over the IPC channel of the forked process. */
export type ToEdge =
  | SocketMessage
  | StartOrder
  | { kind: 'catch-up' | 'metrics' | 'offer-sockets' | 'ping' }
  | { kind: 'stop'; graceMs: number; idleMs?: number | undefined }

/** `caught-up` answers one `catch-up`, `metrics` one `metrics`, and `pong` one `ping`. The sockets and then `offered` answer `offer-sockets`. */
export type FromEdge =
  | SocketMessage
  | { kind: 'serving' | 'caught-up' | 'offered' | 'pong' }
  | { kind: 'metrics'; metrics: ProcessMetrics }
