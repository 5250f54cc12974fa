import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { Context } from '../database/database.ts'
import type { PageRequest } from '../database/list-query.ts'
import type { DnsServer } from '../dns/transport.ts'
import { second } from '../kernel/clock.ts'
import { type DnsServerOptions, type RunningDnsServer, startDnsServer } from './dns-server.ts'
import { listLabRecords, removeLabRecord, setLabRecord } from './manage-records.ts'
import { allRecords } from './store.ts'
import { createZone, type LabNaming, type LabZone } from './zone.ts'

/** A DNS of one's own, for trying domains on a laptop. */
export interface Lab {
  /** Where it answers. */
  readonly address: DnsServer
  list(page: PageRequest): Promise<Page<LabRecord>>
  set(record: LabRecord): Promise<LabRecord>
  remove(name: string, type: LabRecordType): Promise<void>
  close(): Promise<void>
}

export interface LabOptions extends Context {
  naming: LabNaming
  port: number
  /** Whether somebody asked for this very port. */
  portChosen: boolean
  log: DnsServerOptions['log']
}

/** Several processes may share the records: what another one set is answered after this long at most. */
const longestStale = second

export class LabPortInUseError extends Error {
  override readonly name = 'LabPortInUseError'
}

export async function openLab({ database, now, naming, port, portChosen, log }: LabOptions): Promise<Lab> {
  let current: { zone: Promise<LabZone>; loadedAt: number } | null = null

  function zone(): Promise<LabZone> {
    if (current !== null && now() - current.loadedAt < longestStale) return current.zone
    const loading = allRecords(database.read).then((records) => createZone(records, naming))
    const mine = { zone: loading, loadedAt: now() }
    current = mine
    loading.catch(() => {
      if (current === mine) current = null
    })
    return loading
  }
  const forget = () => {
    current = null
  }

  const answer: DnsServerOptions['answer'] = async (question) => (await zone())(question)
  const server = await listen({ port, answer, log }, portChosen)
  return {
    address: server.address,
    list: (page) => listLabRecords(database, page),
    set: (record) => setLabRecord(database, naming, record).finally(forget),
    remove: (name, type) => removeLabRecord(database, name, type).finally(forget),
    close: () => server.close(),
  }
}

async function listen(options: DnsServerOptions, portChosen: boolean): Promise<RunningDnsServer> {
  try {
    return await startDnsServer(options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const taken = `Port ${options.port}, of the lab's DNS, is in use`
    if (portChosen) {
      const fix = 'Stop what uses it, or set MASTHEAD_LAB_PORT to another port or to off.'
      throw new LabPortInUseError(`${taken}. ${fix}`, { cause: error })
    }
    const server = await startDnsServer({ ...options, port: 0 })
    options.log.warn({}, `${taken}: the lab answers on port ${server.address.port} instead`)
    return server
  }
}
