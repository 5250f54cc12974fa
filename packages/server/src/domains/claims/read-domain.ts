import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { findCertificateStates, noCertificate } from '../../certificates/certificate-state.ts'
import { findOwnCertificates } from '../../certificates/own/own-certificates.ts'
import { type PageRequest, readCursor, toPage } from '../../database/list-query.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, noSuchDomain } from '../domain.ts'
import { normalizeHostname } from '../hostname.ts'
import { findCoverage } from '../proofs/coverage.ts'
import { domainsOfProject, findDomain } from '../store.ts'
import { needsProof } from './apex-proof.ts'
import { toDomain } from './domain-view.ts'
import { findProofRequirement } from './ownership.ts'

/** A domain of the project, by its name as typed. */
export async function readDomain(
  { database }: Pick<DomainContext, 'database'>,
  project: ProjectRow,
  typed: string,
): Promise<DomainRow> {
  const hostname = normalizeHostname(typed)
  const row = hostname === null ? undefined : await findDomain(database.read, project.id, hostname)
  if (row === undefined) throw noSuchDomain(project, typed)
  return row
}

export async function listDomains(
  context: DomainContext,
  project: ProjectRow,
  { cursor, limit }: PageRequest,
): Promise<Page<Domain>> {
  const rows = await domainsOfProject(context.database.read, project.id, readCursor(cursor), limit + 1)
  const { items, next } = toPage(
    rows,
    limit,
    (row) => row.hostname,
    (row) => row,
  )
  return { items: await describeDomains(context, items), next }
}

export async function describeDomain(context: DomainContext, row: DomainRow): Promise<Domain> {
  const [domain] = await describeDomains(context, [row])
  if (domain === undefined) throw new Error(`${row.hostname} was not described`)
  return domain
}

async function describeDomains(context: DomainContext, rows: DomainRow[]): Promise<Domain[]> {
  const { database, naming, now } = context
  // A name has one certificate, which only its holder may see.
  const held = rows.filter(({ held }) => held === 1).map(({ hostname }) => hostname)
  const certificates = await findCertificateStates(database.read, held, now())
  const own = await findOwnCertificates(
    database.read,
    rows.map(({ id }) => id),
  )
  return Promise.all(
    rows.map(async (row) => {
      // Other names show no proof, so there is nothing to look up.
      const coverage = needsProof(row) ? await findCoverage(database.read, row) : null
      const proof = await findProofRequirement(database.read, row, { naming, now: now(), coverage })
      const certificate = (row.held === 1 && certificates.get(row.hostname)) || noCertificate
      return toDomain(row, context, { proof, certificate, own: own.get(row.id) ?? null })
    }),
  )
}
