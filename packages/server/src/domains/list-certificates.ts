import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import { listCertificates as listPlainCertificates } from '../certificates/list-certificates.ts'
import type { Context } from '../database/context.ts'
import type { PageRequest } from '../database/page.ts'
import { toCertificateView } from './certificate-view.ts'
import { findOwners } from './owner-store.ts'

const nobody = { accountId: null, accountName: null, projectSlug: null }

/** All certificates and whose domains they are for. */
export async function listCertificates(
  context: Context,
  page: PageRequest & { failingOnly: boolean },
): Promise<Page<OperatorCertificate>> {
  const { items, next } = await listPlainCertificates(context, page)
  const owners = await findOwners(
    context.database.read,
    items.map(({ name }) => name),
  )
  const ownerOf = new Map(owners.map(({ hostname, ...owner }) => [hostname, owner]))
  return {
    items: items.map(({ name, renewsAt, ...state }) => ({
      hostname: name,
      renewsAt,
      ...toCertificateView(state),
      ...(ownerOf.get(name) ?? nobody),
    })),
    next,
  }
}
