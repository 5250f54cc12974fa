import { plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { Link } from 'react-router'
import { useAccount } from '../data/account.ts'
import { useKeys } from '../data/keys.ts'
import { useUsage } from '../data/usage.ts'
import { GuideLink } from '../guide-link.tsx'
import { useHasScope, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../loaded.tsx'
import { paths } from '../paths.ts'
import { Page, Section } from '../ui/page.tsx'
import { BanNotices } from './keys/ban-notices.tsx'
import { KeysTable } from './keys/keys-table.tsx'
import { Figures } from './usage/figures.tsx'
import { History } from './usage/history.tsx'

export function UsagePage() {
  const account = useAccount()
  const mayManage = useHasScope('admin')
  const query = useUsage({ poll: true })
  const isLoading = account.isPending || query.isPending
  return (
    <Page
      title="API usage"
      // With the figures, which it would move if it came later.
      intro={
        isLoading ? undefined : (
          <>
            {account.data !== undefined && <LimitWords account={account.data} />}
            <GuideLink to="usage" />
          </>
        )
      }
    >
      <Loaded query={isLoading ? { ...query, data: undefined } : query}>
        {(usage) => (
          <>
            <Figures usage={usage} />
            <History usage={usage} />
            {mayManage ? (
              <UsageKeys usage={usage} />
            ) : (
              usage.bans.length > 0 && (
                <Section title="Banned keys">
                  <BanNotices bans={usage.bans} />
                </Section>
              )
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function LimitWords({ account: { plan, limits, name } }: { account: Account }) {
  const [perMinute, perDay] = [limits.perMinute, limits.perDay].map((limit) => limit.toLocaleString('en'))
  return (
    <>
      {plans[plan].title} · {perMinute} requests per minute, {perDay} per day, shared by all keys of{' '}
      <bdi>{name}</bdi>.
    </>
  )
}

function UsageKeys({ usage: { bans, keys: used } }: { usage: Usage }) {
  const { account } = useSignedIn()
  const list = useKeys()
  const today = new Map<string, number>(used.map(({ keyId, requests }) => [keyId, requests]))
  return (
    <Section title="Keys">
      <Loaded query={list}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="text-soft">
              No API keys yet.{' '}
              <Link to={paths.keys(account.id)} className="link">
                {' '}
                Create API key{' '}
              </Link>
            </p>
          ) : (
            <>
              <KeysTable keys={keys} bans={bans} today={today} />
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
      <BanNotices bans={bans} />
    </Section>
  )
}
