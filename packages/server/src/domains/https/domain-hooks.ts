import type { CertificateProgress, DomainHooks } from '../../certificates/jobs/issuance-job.ts'
import { system } from '../../events/record-event.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { lockHostname } from '../locks.ts'
import { accountProving } from '../proofs/account-proving.ts'
import { isProvedElsewhere } from '../proofs/coverage.ts'
import { findHolder } from '../store.ts'
import { recordTimeline, type TimelineInput } from '../timeline/timeline.ts'
import { loseCertificate } from './lose-certificate.ts'
import { type ProbeTargets, probeThroughEdge } from './probe-domain.ts'

type CertificateHooks = Required<
  Pick<DomainHooks, 'isAllowed' | 'isGone' | 'holderOf' | 'onInstalled' | 'onProgress'>
> & { accountOf(name: string): Promise<string | null> }

/** How domains react while certificates are being issued for their names. */
export function createDomainHooks(context: DomainContext, probing: ProbeTargets): CertificateHooks {
  const { database } = context

  /** The holder of the name, if it is being served. */
  async function findServed(name: string): Promise<DomainRow | null> {
    const row = await findHolder(database.read, name)
    return row !== undefined && isServing(row) ? row : null
  }

  return {
    async isAllowed(name) {
      const row = await findServed(name)
      if (row === null) return false
      if (row.kind === 'wildcard') return (await accountProving(database.read, name)) === row.account_id
      // Wrong DNS, and the domain is another account's: a new certificate would be for someone without proof.
      return row.state !== 'drifted' || !(await isProvedElsewhere(database.read, row.account_id, name))
    },
    isGone: async (name) => (await findHolder(database.read, name)) === undefined,
    accountOf: async (name) => (await findHolder(database.read, name))?.account_id ?? null,
    holderOf: async (name) => (await findHolder(database.read, name))?.id ?? null,
    async onInstalled(name) {
      const row = await findServed(name)
      if (row !== null) await probeThroughEdge(context, probing, row)
    },
    async onProgress(name, progress) {
      const row = await recordProgress(context, name, progress)
      if (row === undefined || progress.step !== 'failed' || progress.nextAttemptAt !== null) return
      await loseCertificate(context, row, 'refused_for_good')
    },
  }
}

function recordProgress(
  { database, now }: DomainContext,
  name: string,
  progress: CertificateProgress,
): Promise<DomainRow | undefined> {
  return database.write(async (tx) => {
    await lockHostname(database, tx, name)
    const row = await findHolder(tx, name)
    if (row === undefined) return undefined
    const entry = entryFor(progress, row)
    await recordTimeline(tx, { domain: row, at: now(), by: system, ...entry })
    return row
  })
}

function entryFor(
  progress: CertificateProgress,
  { live_at }: DomainRow,
): Pick<TimelineInput, 'kind' | 'data' | 'sameAs'> {
  switch (progress.step) {
    case 'ordered':
      return {
        kind: 'certificate_ordered',
        data: { authority: progress.authority, passedOver: progress.passedOver },
      }
    case 'installed': {
      const { authority, serial, notAfter, passedOver } = progress
      const kind = live_at === null ? 'certificate_issued' : 'certificate_renewed'
      return { kind, data: { authority, serial, notAfter: isoTime(notAfter), passedOver } }
    }
    case 'own_installed': {
      const { issuer, serial, notAfter } = progress
      return { kind: 'own_certificate_installed', data: { issuer, serial, notAfter: isoTime(notAfter) } }
    }
    case 'failed': {
      const { error, nextAttemptAt, passedOver } = progress
      const data = { ...error, passedOver, nextAttemptAt: isoTimeOrNull(nextAttemptAt) }
      return { kind: 'certificate_problem', data, sameAs: `${error.kind} ${error.message}` }
    }
  }
}
