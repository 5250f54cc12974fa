import { isAgreed, plans } from '@masthead/contract/plans.ts'
import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { useSetAccountPlan } from '../../../data/operator.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useToast } from '../../../ui/toasts.tsx'
import { agreedLimits } from './agreed-limits.ts'
import { LimitFields } from './limit-fields.tsx'
import { PlanSelect } from './plan-select.tsx'
import { wouldSuspend } from './plan-summary.ts'

interface ChangePlanProps {
  account: OperatorAccount
  onClose: () => void
}

export function ChangePlan({ account, onClose }: ChangePlanProps) {
  const { id, name, domains, limits } = account
  const [plan, setPlan] = useState(account.plan)
  const change = useSetAccountPlan(id)
  const say = useToast()
  const agreed = isAgreed(plan)
  return (
    <FormDialog
      title={`Change the plan of ${name}`}
      onClose={onClose}
      submit="Change plan"
      submitting="Changing…"
      onSubmit={async (values) => {
        await change.mutateAsync({ plan, ...(agreed ? { limits: agreedLimits(values) } : {}) })
        onClose()
        say({ words: `${name} is on ${plans[plan].title} now. It counts from the next request on.` })
      }}
    >
      <PlanSelect value={plan} onChoose={setPlan} />
      {agreed && <LimitFields limits={limits} />}
      {wouldSuspend(domains, account.plan, plan) && (
        <Notice
          tone="waiting"
          title={`${domains === 1 ? 'A domain' : `${domains.toLocaleString('en')} domains`} will be suspended.`}
        >
          {plans[plan].title} has no domains of its own: they stop being served at once. Nothing is deleted,
          and an upgrade resumes them.
        </Notice>
      )}
    </FormDialog>
  )
}
