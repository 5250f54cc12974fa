import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '@masthead/client/errors.ts'
import { requiredRecord } from '../tenant.ts'
import type { ClusterAccount, ClusterNode } from './cluster.ts'
import type { FaultLog } from './faults.ts'
import { Visitor } from './visitor.ts'

/** How long an edge that hears of changes may serve a removed domain. */
const boundMs = 5_000

/** A call that takes longer is given up and made again. */
const patience = () => AbortSignal.timeout(20_000)

export interface DomainCounts {
  added: number
  removed: number
  /** Visits to removed names. */
  asked: number
  wrong: string[]
}

interface RemovedName {
  hostname: string
  removedAt: number
  /** Edges that have refused it since. */
  refusedBy: Set<ClusterNode>
}

/** Adds a domain, sees it served, removes it, and sees that no edge serves it any longer. Then the next. */
export class DomainChanges {
  readonly counts: DomainCounts = { added: 0, removed: 0, asked: 0, wrong: [] }
  readonly #account: ClusterAccount
  readonly #project: string
  readonly #log: FaultLog
  readonly #removed: RemovedName[] = []

  constructor(account: ClusterAccount, project: string, log: FaultLog) {
    this.#account = account
    this.#project = project
    this.#log = log
  }

  async change(edges: readonly ClusterNode[], signal: AbortSignal): Promise<void> {
    using visitors = new DisposableStack()
    const all = edges.map((edge) => visitors.use(new Visitor(edge, 'http/1.1', '')))
    for (let number = 1; !signal.aborted; number++) {
      const hostname = `www${number}.acme.localhost`
      const isServed = await this.#add(hostname, signal)
      if (!isServed) continue
      this.counts.added++
      for (const visitor of all) {
        while (!signal.aborted && (await statusOf(visitor, hostname)) !== 200) await sleep(50)
      }
      await this.#remove(hostname, signal)
    }
  }

  /** Asks an edge for removed names, again and again, and often enough for the bound. */
  async watch(edge: ClusterNode, signal: AbortSignal): Promise<void> {
    using visitor = new Visitor(edge, 'http/1.1', '')
    while (!signal.aborted) {
      for (const name of this.#removed.slice(-20)) await this.#check(edge, visitor, name)
      await sleep(boundMs / 20)
    }
  }

  async #check(edge: ClusterNode, visitor: Visitor, name: RemovedName): Promise<void> {
    const asked = Date.now()
    const status = await statusOf(visitor, name.hostname)
    if (status === null) return
    this.counts.asked++
    if (status !== 200) return void name.refusedBy.add(edge)
    const late = asked - Math.max(name.removedAt, this.#log.lastDeaf(edge))
    if (late > boundMs) this.counts.wrong.push(`${name.hostname} is served ${late} ms too late`)
    if (name.refusedBy.has(edge)) this.counts.wrong.push(`${name.hostname} is served after it was refused`)
  }

  /** Tries each step until it is done, since any answer may be lost. */
  async #add(hostname: string, signal: AbortSignal): Promise<boolean> {
    const { api } = this.#account
    const params = { project: this.#project, hostname }
    const isDone = await persist(signal, async () => {
      await api.next
        .addDomain({ params: { project: this.#project }, body: { hostname }, signal: patience() })
        .catch((error: unknown) => {
          if (!(error instanceof ProblemError) || error.status !== 409) throw error
        })
      const value = requiredRecord(await api.next.getDomain({ params, signal: patience() }), 'CNAME')
      const record = { name: hostname, type: 'CNAME' } as const
      await api.next.setLabRecord({ params: record, body: { values: [value] }, signal: patience() })
    })
    return (
      isDone &&
      (await persist(signal, async () => {
        const { state } = await api.next.verifyDomain({ params, signal: patience() })
        if (state !== 'verified' && state !== 'live') throw new Error(`is ${state}`)
      }))
    )
  }

  async #remove(hostname: string, signal: AbortSignal): Promise<void> {
    const isDone = await persist(signal, async () => {
      await this.#account.api.next
        .removeDomain({ params: { project: this.#project, hostname }, signal: patience() })
        .catch((error: unknown) => {
          if (!(error instanceof ProblemError) || error.status !== 404) throw error
        })
    })
    if (!isDone) return
    this.counts.removed++
    this.#removed.push({ hostname, removedAt: Date.now(), refusedBy: new Set() })
  }
}

async function statusOf(visitor: Visitor, hostname: string): Promise<number | null> {
  return visitor.visit(hostname, '/').then(
    ({ status }) => status,
    () => null,
  )
}

/** False if there was no time left. */
async function persist(signal: AbortSignal, step: () => Promise<void>): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await step()
      return true
    } catch {
      await sleep(200)
    }
  }
  return false
}
