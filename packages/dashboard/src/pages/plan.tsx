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
  const isUpToOwners = useServer().data?.billing !== 'external'
  return (
    <Page
      title="Plan"
      intro={
        account.data && (
          <>
            <bdi>{account.data.name}</bdi> is on {plans[account.data.plan].title}. Changes take effect
            immediately.
          </>
        )
      }
    >
      <Loaded query={account}>
        {(data) => (
          <>
            <h2 className="sr-only">Plans</h2>
            <ChoosePlan account={data} mayChoose={isOwner && isUpToOwners} />
            {!(isOwner && isUpToOwners) && (
              <p className="mt-5 text-soft">
                Only{' '}
                {isUpToOwners ? (
                  <>
                    an owner of <bdi>{data.name}</bdi>
                  </>
                ) : (
                  'the operator'
                )}{' '}
                can change the plan.
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
