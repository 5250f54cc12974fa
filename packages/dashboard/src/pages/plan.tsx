import { plans } from '@masthead/contract/plans.ts'
import { useServer } from '../api/session.ts'
import { useAccount } from '../data/account.ts'
import { useHasScope } from '../layout/signed-in.tsx'
import { Loaded } from '../loaded.tsx'
import { Page } from '../ui/page.tsx'
import { AccountName, DeleteAccount } from './plan/account-settings.tsx'
import { ChoosePlan } from './plan/choose-plan.tsx'

export function PlanPage() {
  const account = useAccount()
  const isOwner = useHasScope('admin')
  const isLeftToOwners = useServer().data?.billing !== 'external'
  return (
    <Page
      title="Plan"
      lede={
        account.data &&
        `${account.data.name} is on ${plans[account.data.plan].title}. A change counts from the next request on.`
      }
    >
      <Loaded query={account}>
        {(data) => (
          <>
            <h2 className="sr-only">What each plan gives</h2>
            <ChoosePlan account={data} mayChoose={isOwner && isLeftToOwners} />
            {!(isOwner && isLeftToOwners) && (
              <p className="mt-5 text-soft">
                {isLeftToOwners ? `An owner of ${data.name}` : 'Whoever runs this server'} changes the plan.
              </p>
            )}
            {isOwner && (
              <div className="mt-12">
                <AccountName account={data} />
              </div>
            )}
            {isOwner && (
              <div className="mt-12">
                <DeleteAccount account={data} />
              </div>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
