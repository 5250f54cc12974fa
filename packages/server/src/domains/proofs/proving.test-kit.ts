import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { by, type Checking, startChecking, type Tenant } from '../checking.test-kit.ts'
import { updateDomain } from '../store.ts'
import { accountProving } from './account-proving.ts'
import { startProof } from './start-proof.ts'
import { verifyProof } from './verify-proof.ts'

export const skip = skipWithout('knot')

/** Each test has zones of its own on the one DNS server. */
const zones = [
  'once',
  'early',
  'told',
  'kept',
  'rival',
  'fresh',
  'stale',
  'drift',
  'unclear',
  'parent',
  'dept.parent',
  'back',
  'dept.back',
  'lone',
  'dept.lone',
  'alias',
  'evil',
  'race',
  'moved',
  'down',
  'gone',
  'apex',
  'tomb',
  'limit',
  'wild',
  'dept.wild',
  'wheld',
  'wtwo',
  'wstale',
  'wdown',
  'wrace',
  'wprep',
  'wexact',
  'wdead',
  'wpart',
  'late',
  'top',
  'app.top',
].map((name) => `${name}.test`)

/** Accounts that prove domains on a real DNS server, which the tests of a suite share. */
export function useProving(open: () => Promise<Database & AsyncDisposable>) {
  let database: Database & AsyncDisposable
  let checking: Checking

  before(async () => {
    if (skip) return
    database = await open()
    checking = await startChecking(database, Object.fromEntries(zones.map((zone) => [zone, ''])))
  })

  after(async () => {
    await checking?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const tenants = new Map<string, Promise<Tenant>>()
  function tenant(name: string): Promise<Tenant> {
    const known = tenants.get(name) ?? checking.addTenant(name)
    tenants.set(name, known)
    return known
  }
  const whose = ({ account }: Tenant, domain: string) => ({ accountId: account.id, by, domain })
  const start = (who: Tenant, domain: string) => startProof(checking.context, whose(who, domain))
  const verify = (who: Tenant, domain: string) => verifyProof(checking.context, whose(who, domain))
  const proving = (name: string) => accountProving(database.read, name)
  const set = (zone: string, ...lines: string[]) => checking.nameserver.setZone(zone, lines.join('\n'))
  const token = ({ record }: { record: { value: string } }) => `_masthead-challenge 60 TXT "${record.value}"`
  const refused = (code: string) => (error: unknown) =>
    error instanceof Error && 'code' in error && error.code === code
  /** Of proofs; given a domain, those of its own. */
  const eventsOf = async ({ account }: Tenant, domain?: string) => {
    const rows = await database.read
      .selectFrom('events')
      .select(['type', 'data'])
      .where('account_id', '=', account.id)
      .orderBy('id')
      .execute()
    return rows
      .filter(({ data }) => domain === undefined || JSON.parse(data).domain === domain)
      .map(({ type }) => type)
      .filter((type) => type.startsWith('proof.'))
  }

  /** Proves a domain, with these lines in its zone as well. */
  async function prove(who: Tenant, domain: string, ...lines: string[]): Promise<string> {
    const line = token(await start(who, domain))
    await set(domain, line, ...lines)
    assert.equal((await verify(who, domain)).state, 'proved')
    return line
  }

  function makeLive(id: Id<'domain'>) {
    return database.write((tx) => updateDomain(tx, id, { state: 'live', state_since: checking.clock.at }))
  }

  return {
    get checking() {
      return checking
    },
    tenant,
    whose,
    start,
    verify,
    proving,
    set,
    token,
    refused,
    eventsOf,
    prove,
    makeLive,
  }
}
