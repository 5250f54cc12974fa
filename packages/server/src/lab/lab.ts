import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { Context } from '../database/database.ts'
import type { PageRequest } from '../database/list-query.ts'
import { type DnsServerOptions, type RunningDnsServer, startDnsServer } from '../dns/server/dns-server.ts'
import type { DnsServer } from '../dns/transport.ts'
import { second } from '../kernel/clock.ts'
import { singleFlight } from '../kernel/single-flight.ts'
import { listLabRecords, removeLabRecord, setLabRecord } from './manage-records.ts'
import { allRecords } from './store.ts'
import { createZone, type LabNaming, type LabZone } from './zone.ts'

/** A local DNS server for trying out domains on a laptop. */
export interface Lab {
  /** Where it listens. */
  readonly address: DnsServer
  list(page: PageRequest): Promise<Page<LabRecord>>
  set(record: LabRecord): Promise<LabRecord>
  remove(name: string, type: LabRecordType): Promise<void>
  close(): Promise<void>
}

export interface LabOptions extends Context {
  naming: LabNaming
  port: number
  /** Whether the port was configured, so no other may be used instead. */
  portChosen: boolean
  log: DnsServerOptions['log']
}

/** Other processes may change the records: their changes show up after this long at most. */
const longestStale = second

export class LabPortInUseError extends Error {
  override readonly name = 'LabPortInUseError'
}

export async function openLab({ database, now, naming, port, portChosen, log }: LabOptions): Promise<Lab> {
  let generation = 0
  let cached: { zone: LabZone; loadedAt: number } | null = null

  const loadZone = singleFlight(async (loading: number) => {
    const loadedAt = now()
    const zone = createZone(await allRecords(database.read), naming)
    if (loading === generation) cached = { zone, loadedAt }
    return zone
  })
  /** A load in progress may have missed the change, so the next query starts a new one. */
  const invalidate = () => {
    generation++
    cached = null
  }

  const answer: DnsServerOptions['answer'] = async (question) => {
    const zone =
      cached !== null && now() - cached.loadedAt < longestStale ? cached.zone : await loadZone(generation)
    return zone(question)
  }
  const server = await listen({ port, answer, log }, portChosen)
  return {
    address: server.address,
    list: (page) => listLabRecords(database, page),
    set: (record) => setLabRecord(database, naming, record).finally(invalidate),
    remove: (name, type) => removeLabRecord(database, name, type).finally(invalidate),
    close: () => server.close(),
  }
}

async function listen(options: DnsServerOptions, portChosen: boolean): Promise<RunningDnsServer> {
  try {
    return await startDnsServer(options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const taken = `Port ${options.port} for the lab's DNS is already in use`
    if (portChosen) {
      const fix = 'Stop the program that uses it, or set MASTHEAD_LAB_PORT to another port or to off.'
      throw new LabPortInUseError(`${taken}. ${fix}`, { cause: error })
    }
    const server = await startDnsServer({ ...options, port: 0 })
    options.log.warn({}, `${taken}: the lab answers on port ${server.address.port} instead`)
    return server
  }
}
