import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Context, Reader } from '../database/database.ts'
import { invalidCursor, type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { day, isoTimeOrNull } from '../kernel/clock.ts'
import { type CertificateState, stateOf } from './certificate-state.ts'
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

/** Every name that has a certificate or is to get one: those in trouble first, then the soonest to expire. */
export async function listCertificates(
  { database, now }: Context,
  { cursor, limit, failingOnly }: PageRequest & { failingOnly: boolean },
): Promise<Page<ListedCertificate>> {
  const after = readPosition(readCursor(cursor))
  const places = await positionsAfter(database.read, { after, failingOnly, limit: limit + 1 })
  const names = places.map(({ name }) => name)
  const certificateOf = byName(await findCertificateRows(database.read, names))
  const jobOf = byName(await findJobs(database.read, names))
  return toPage(
    places,
    limit,
    ({ part, notAfter, name }) => `${part} ${notAfter} ${name}`,
    ({ name }) => {
      const certificate = certificateOf.get(name)
      return {
        name,
        renewsAt: isoTimeOrNull(certificate?.renew_at ?? null),
        ...stateOf(certificate, jobOf.get(name), now()),
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

function byName<Row extends { name: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.name, row]))
}

/** Even one that lasts a week is renewed earlier: what is this near to its end did not get a new one. */
const soon = 3 * day

export function countExpiringSoon({ database, now }: Context): Promise<number> {
  return countExpiringBefore(database.read, now() + soon)
}

/** By how many milliseconds the certificate job that waits longest is late; 0 where none is. */
export async function certificateLag({ database, now }: Context): Promise<number> {
  return Math.max(0, now() - ((await nextJobAt(database.read, now())) ?? now()))
}
