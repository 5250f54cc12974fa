import { plans } from '@masthead/contract/plans.ts'
import { useAccount } from '../data/account.ts'
import { useUsage } from '../data/usage.ts'
import { useMay, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded } from '../loaded.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { BanNotices } from './keys/ban-notices.tsx'
import { Figures } from './usage/figures.tsx'
import { History } from './usage/history.tsx'
import { UsageKeys } from './usage/usage-keys.tsx'

export function UsagePage() {
  const signedIn = useSignedIn()
  const account = useAccount().data ?? signedIn.account
  const mayManage = useMay('admin')
  const query = useUsage({ asItGrows: true })
  const perMinute = query.data?.minute.limit ?? account.limits.perMinute
  const perDay = query.data?.day.limit ?? account.limits.perDay
  return (
    <Page
      title="API usage"
      lede={`${plans[account.plan].title} · ${perMinute.toLocaleString('en')} requests a minute, ${perDay.toLocaleString('en')} a day, shared by all keys of ${account.name}.`}
    >
      <Loaded query={query}>
        {(usage) => (
          <>
            <Figures usage={usage} />
            <History usage={usage} />
            {mayManage ? (
              <UsageKeys bans={usage.bans} />
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
