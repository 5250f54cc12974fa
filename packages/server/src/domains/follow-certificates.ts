import type { CertificateProgress, Upwards } from '../certificates/flight.ts'
import { isoTime, isoTimeOrNull } from '../clock.ts'
import { system } from '../events/record-event.ts'
import type { DomainContext } from './context.ts'
import { isServing } from './decide.ts'
import type { DomainRow } from './domain.ts'
import { lockHostname } from './lock-hostname.ts'
import { loseCertificate } from './lose-certificate.ts'
import { type Probing, probeThroughEdge } from './probe-domain.ts'
import { heldRow } from './store.ts'
import { type Happening, recordTimeline } from './timeline.ts'

type Follower = Required<Pick<Upwards, 'allowed' | 'isGone' | 'onInstalled' | 'onProgress'>>

/** What domains answer, note and do while certificates are got for their names. */
export function followCertificates(context: DomainContext, probing: Probing): Follower {
  const { database } = context

  /** Whoever proved the name and is served at it. */
  async function served(name: string): Promise<DomainRow | null> {
    const row = await heldRow(database.read, name)
    return row !== undefined && isServing(row) ? row : null
  }

  return {
    allowed: async (name) => (await served(name)) !== null,
    isGone: async (name) => (await heldRow(database.read, name)) === undefined,
    async onInstalled(name) {
      const row = await served(name)
      if (row !== null) await probeThroughEdge(context, probing, row)
    },
    async onProgress(name, progress) {
      const row = await noteProgress(context, name, progress)
      if (row === undefined || progress.step !== 'failed' || progress.nextAttemptAt !== null) return
      await loseCertificate(context, row, 'refused_for_good')
    },
  }
}

function noteProgress(
  { database, now }: DomainContext,
  name: string,
  progress: CertificateProgress,
): Promise<DomainRow | undefined> {
  return database.write(async (tx) => {
    await lockHostname(database, tx, name)
    const row = await heldRow(tx, name)
    if (row === undefined) return undefined
    const entry = entryFor(progress, row)
    await recordTimeline(tx, { domain: row, at: now(), by: system, ...entry })
    return row
  })
}

function entryFor(
  progress: CertificateProgress,
  { live_at }: DomainRow,
): Pick<Happening, 'kind' | 'data' | 'sameAs'> {
  switch (progress.step) {
    case 'ordered':
      return { kind: 'certificate_ordered', data: { authority: progress.authority } }
    case 'installed': {
      const { authority, serial, notAfter } = progress
      const kind = live_at === null ? 'certificate_issued' : 'certificate_renewed'
      return { kind, data: { authority, serial, notAfter: isoTime(notAfter) } }
    }
    case 'failed': {
      const { error, nextAttemptAt } = progress
      const data = { ...error, nextAttemptAt: isoTimeOrNull(nextAttemptAt) }
      return { kind: 'certificate_problem', data, sameAs: `${error.kind} ${error.message}` }
    }
  }
}
