import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Context, Reader } from '../database/database.ts'
import { invalidCursor, type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { day, isoTimeOrNull } from '../kernel/clock.ts'
import { byName, type CertificateState, stateOf } from './certificate-state.ts'
import { findJobs, nextJobAt } from './jobs/job-store.ts'
import {
  countExpiringBefore,
  heldNamesAfter,
  type ListPosition,
  type ListSection,
  listSections,
  troubledNamesAfter,
} from './listing-store.ts'
import { findCertificateRows } from './store.ts'

export interface ListedCertificate extends CertificateState {
  name: string
  renewsAt: string | null
}

/** Every name with a certificate or a job: those with problems first, then by expiry. */
export async function listCertificates(
  { database, now }: Context,
  { cursor, limit, failingOnly }: PageRequest & { failingOnly: boolean },
): Promise<Page<ListedCertificate>> {
  const after = readPosition(readCursor(cursor))
  const positions = await positionsAfter(database.read, { after, failingOnly, limit: limit + 1 })
  const names = positions.map(({ name }) => name)
  const certificateByName = byName(await findCertificateRows(database.read, names))
  const jobByName = byName(await findJobs(database.read, names))
  return toPage(
    positions,
    limit,
    ({ part, notAfter, name }) => `${part} ${notAfter} ${name}`,
    ({ name }) => {
      const certificate = certificateByName.get(name)
      return {
        name,
        renewsAt: isoTimeOrNull(certificate?.renew_at ?? null),
        ...stateOf(certificate, jobByName.get(name), now()),
      }
    },
  )
}

async function positionsAfter(
  db: Reader,
  { after, failingOnly, limit }: { after: ListPosition | null; failingOnly: boolean; limit: number },
): Promise<ListPosition[]> {
  if (after?.part === listSections.held) return failingOnly ? [] : heldNamesAfter(db, { after, limit })
  const troubled = await troubledNamesAfter(db, { after, failingOnly, limit })
  const left = limit - troubled.length
  if (failingOnly || left === 0) return troubled
  return [...troubled, ...(await heldNamesAfter(db, { after: null, limit: left }))]
}

function readPosition(text: string | undefined): ListPosition | null {
  if (text === undefined) return null
  const [, part, notAfter, name] = /^([012]) (\d{1,15}) (\S+)$/.exec(text) ?? []
  if (part === undefined || notAfter === undefined || name === undefined) throw invalidCursor()
  return { part: Number(part) as ListSection, notAfter: Number(notAfter), name }
}

/** Even one-week certificates are renewed earlier, so one this close to expiry failed to renew. */
const soon = 3 * day

export function countExpiringSoon({ database, now }: Context): Promise<number> {
  return countExpiringBefore(database.read, now() + soon)
}

/** How many milliseconds the most overdue certificate job is late; 0 if none is. */
export async function certificateLag({ database, now }: Context): Promise<number> {
  return Math.max(0, now() - ((await nextJobAt(database.read, now())) ?? now()))
}
