import { Counter, Gauge, type Registry } from 'prom-client'
import type { HttpsListener } from './edge/https-listener.ts'
import type { Listener } from './edge/listener.ts'

export interface EdgeListeners {
  http: Pick<Listener, 'connections' | 'refused'>
  https: Pick<HttpsListener, 'connections' | 'refused' | 'handshakes'>
}

/** What the edge of this process tells of its connections. */
export function measureEdge(metrics: Registry, listeners: EdgeListeners): void {
  const each = Object.entries({ http: listeners.http, https: listeners.https })
  new Gauge({
    name: 'masthead_edge_connections',
    help: 'Connections that are open',
    labelNames: ['port'],
    registers: [metrics],
    collect() {
      for (const [port, listener] of each) this.set({ port }, listener.connections())
    },
  })
  new Counter({
    name: 'masthead_edge_connections_refused_total',
    help: 'Connections that were closed at once because there was no room for them',
    labelNames: ['port'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const [port, listener] of each) this.inc({ port }, listener.refused())
    },
  })
  new Counter({
    name: 'masthead_edge_handshakes_total',
    help: 'TLS handshakes by how they ended',
    labelNames: ['result'],
    registers: [metrics],
    collect() {
      this.reset()
      const { refused, ...ended } = listeners.https.handshakes
      for (const [result, count] of Object.entries({ ...ended, ...refused })) this.inc({ result }, count)
    },
  })
}
