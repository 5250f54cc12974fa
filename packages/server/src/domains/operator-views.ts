import { type DomainState, domainStateNames } from '@masthead/contract/domains/states.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import { listCertificates as listPlainCertificates } from '../certificates/operator-view.ts'
import type { Context } from '../database/database.ts'
import type { PageRequest } from '../database/list-query.ts'
import { toCertificateView } from './claims/domain-view.ts'
import { countByState, findOwners, longestDueAt } from './store.ts'

const noOwner = { accountId: null, accountName: null, projectSlug: null }

/** All certificates, with the owners of their domains. */
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
      ...toCertificateView(state, null),
      ...(ownerOf.get(name) ?? noOwner),
    })),
    next,
  }
}

/** How many domains are in each state. */
export async function countDomainsByState({
  database,
}: Pick<Context, 'database'>): Promise<Record<DomainState, number>> {
  const counted = new Map((await countByState(database.read)).map(({ state, domains }) => [state, domains]))
  const counts = domainStateNames.map((state) => [state, counted.get(state) ?? 0])
  return Object.fromEntries(counts) as Record<DomainState, number>
}

/** How many milliseconds the longest-waiting domain is overdue; 0 if none is. */
export async function domainCheckLag({ database, now }: Context): Promise<number> {
  return Math.max(0, now() - ((await longestDueAt(database.read)) ?? now()))
}
