import { freePort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import type { RunningNameServer } from '@masthead/testing/peers/name-server.ts'
import { type RunningPebble, startPebble } from '@masthead/testing/peers/pebble/pebble.ts'
import type { FirstAnswer } from '../https-visits.ts'

/** One nameserver for everything under `test`, and any number of identical certificate authorities. */
export interface IssuanceSetup extends AsyncDisposable {
  dns: RunningNameServer
  dnsServer: string
  /** Replaces all records except the permanent ones. */
  setRecords(records: readonly string[]): Promise<void>
  startAuthority(): Promise<{ pebble: RunningPebble; ports: { http: number; https: number } }>
}

const permanent = ['*.cname.masthead A 127.0.0.1', '*.caddy A 127.0.0.1']

export async function startIssuanceSetup(): Promise<IssuanceSetup> {
  await using started = new AsyncDisposableStack()
  const dns = started.use(await startKnot({ zones: { test: permanent.join('\n') } }))
  const dnsServer = `${dns.address}:${dns.port}`
  const all = started.move()
  return {
    dns,
    dnsServer,
    setRecords: (records) => dns.setZone('test', [...permanent, ...records].join('\n')),
    async startAuthority() {
      const ports = { http: await freePort(), https: await freePort() }
      const looksAt = { httpPort: ports.http, tlsPort: ports.https }
      return { ports, pebble: all.use(await startPebble({ ...looksAt, dnsServer })) }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export interface IssuanceResult {
  /** Seconds from the start to the first answer of each name; for Masthead from its verification. */
  took: number[]
  /** For all names together. */
  all: number
  /** Failed attempts before the first answer. */
  refusedBefore: number
  /** Failures among one visit to each name, all at once, after the names were reported or seen live. */
  refusedAfter: number
  lost: number
  orders: number
  /** Seconds from verified to live. */
  live: number[] | null
}

export interface Contender {
  title: string
  get(names: readonly string[], atOnce: number): Promise<Omit<IssuanceResult, 'orders'>>
  orders(): number
  suffix: string
}

/** Between two attempts over all names, so that measuring does not slow what is measured. */
export const pausePerName = 5

export function summary(timed: readonly { from: number; answer: FirstAnswer }[]) {
  const came = timed.flatMap(({ from, answer: { at } }) => (at === null ? [] : [{ from, at }]))
  return {
    took: came.map(({ from, at }) => (at - from) / 1000),
    lost: timed.length - came.length,
    refusedBefore: timed.reduce((sum, { answer }) => sum + answer.refused, 0),
  }
}
