import type { Page } from '@masthead/contract/schemas/page.ts'
import { isoTimeOrNull } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { Reader } from '../database/database.ts'
import { type PageRequest, readCursor, toPage, wrongCursor } from '../database/page.ts'
import { type CertificateState, stateOf } from './certificate-state.ts'
import { findJobs } from './job-store.ts'
import { heldNamesAfter, type Part, type Place, parts, troubledNamesAfter } from './listing-store.ts'
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
  const after = readPlace(readCursor(cursor))
  const places = await placesAfter(database.read, { after, failingOnly, limit: limit + 1 })
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

async function placesAfter(
  db: Reader,
  { after, failingOnly, limit }: { after: Place | null; failingOnly: boolean; limit: number },
): Promise<Place[]> {
  if (after?.part === parts.held) return failingOnly ? [] : heldNamesAfter(db, { after, limit })
  const troubled = await troubledNamesAfter(db, { after, failingOnly, limit })
  const left = limit - troubled.length
  if (failingOnly || left === 0) return troubled
  return [...troubled, ...(await heldNamesAfter(db, { after: null, limit: left }))]
}

function readPlace(text: string | undefined): Place | null {
  if (text === undefined) return null
  const [, part, notAfter, name] = /^([012]) (\d{1,15}) (\S+)$/.exec(text) ?? []
  if (part === undefined || notAfter === undefined || name === undefined) throw wrongCursor()
  return { part: Number(part) as Part, notAfter: Number(notAfter), name }
}

function byName<Row extends { name: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.name, row]))
}
