import type { SiteSocket } from '../sockets/site-socket.ts'
import type { ActivityMonitor } from './connection-limits.ts'

/** Connections of one protocol, which carry requests for sites only. */
export interface SiteConnections {
  /** Takes the connection over for good. `servername` (SNI) is null over plain HTTP. */
  accept(socket: SiteSocket, servername: string | null): ActivityMonitor
  /** From now on tells clients to send further requests elsewhere. Answers in progress finish. */
  drain(): void
  /** Ends idle connections now, and all others after their last answer. */
  close(): void
}
