import {
  type AwaitedDns,
  findAwaitedDns,
  retryWithRightDns,
} from '../../certificates/jobs/request-certificate.ts'
import type { Tx } from '../../database/database.ts'
import type { EventActor } from '../../events/record-event.ts'
import { minute } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing, type StoredCheck } from '../domain.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { certificateAccount } from './certificate-need.ts'

export interface CheckedDns {
  before: StoredCheck | null
  after: StoredCheck
  by: EventActor
  /** Whether someone asked for the check. */
  isAsked: boolean
  at: number
}

/** The check may have seen what the attempt did not. It is believed once a minute, and only if someone asks. */
const doubtedFor = minute

/**
 * Starts the next certificate attempt now if it waits for something in DNS that the check has found. Call it last in the
 * transaction.
 */
export async function retryCertificate(
  context: Pick<DomainContext, 'changes'>,
  tx: Tx,
  row: DomainRow,
  { before, after, by, isAsked, at }: CheckedDns,
): Promise<void> {
  if (!isServing(row)) return
  const { hostname: name } = row
  const awaited = await findAwaitedDns(tx, name, at)
  if (awaited === null || !hasFound(after, awaited)) return
  const isNew = before === null || !hasFound(before, awaited)
  if (!isNew && !(isAsked && at - awaited.failedAt >= doubtedFor)) return
  await recordTimeline(tx, { domain: row, kind: 'certificate_asked', at, by })
  await retryWithRightDns(context, tx, { name, at, account: certificateAccount(row) })
}

function hasFound({ check, delegation }: StoredCheck, { kind }: AwaitedDns): boolean {
  if (kind === 'delegation') return delegation === 'delegated'
  return !check.findings.some(({ code }) => code === 'caa_blocks' || code === 'caa_unclear')
}
