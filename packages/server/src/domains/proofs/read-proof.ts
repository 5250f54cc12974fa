import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import { type PageRequest, readCursor, toPage } from '../../database/list-query.ts'
import type { DomainContext } from '../context.ts'
import { normalizeHostname } from '../hostname.ts'
import { noSuchProof, toProof } from './proof.ts'
import { findProof, type ProofRow, proofsOfAccount } from './store.ts'

export async function listProofs(
  { database }: Pick<DomainContext, 'database'>,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<Proof>> {
  const after = readCursor(cursor)
  const rows = await proofsOfAccount(database.read, accountId)
  const wanted = rows.filter(({ domain }) => after === undefined || domain > after)
  return toPage(wanted, limit, ({ domain }) => domain, toProof)
}

/** The proof of the account for a domain as typed. */
export async function readProof(
  { database }: Pick<DomainContext, 'database'>,
  accountId: Id<'account'>,
  typed: string,
): Promise<ProofRow> {
  const domain = normalizeHostname(typed)
  const row = domain === null ? undefined : await findProof(database.read, accountId, domain)
  if (row === undefined) throw noSuchProof(typed)
  return row
}
