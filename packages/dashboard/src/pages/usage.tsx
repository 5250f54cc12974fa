import { plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import { useAccount } from '../data/account.ts'
import { useUsage } from '../data/usage.ts'
import { useMay } from '../layout/signed-in.tsx'
import { Loaded } from '../loaded.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { BanNotices } from './keys/ban-notices.tsx'
import { Figures } from './usage/figures.tsx'
import { History } from './usage/history.tsx'
import { UsageKeys } from './usage/usage-keys.tsx'

export function UsagePage() {
  const account = useAccount().data
  const mayManage = useMay('admin')
  const query = useUsage({ asItGrows: true })
  return (
    <Page title="API usage" lede={account === undefined ? ' ' : limitWords(account)}>
      <Loaded query={query}>
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

function limitWords({ plan, limits, name }: Account): string {
  const [perMinute, perDay] = [limits.perMinute, limits.perDay].map((limit) => limit.toLocaleString('en'))
  return `${plans[plan].title} · ${perMinute} requests a minute, ${perDay} a day, shared by all keys of ${name}.`
}
