import { isCustomPlan, type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { useSetAccountPlan } from '../../../data/operator.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { Field, Select } from '../../../ui/field.tsx'
import { Notice, useToast } from '../../../ui/notices.tsx'
import { customLimits, gigabytes, mayLoseWildcards, planSummary, wouldSuspend } from './plan-limits.ts'

interface ChangePlanProps {
  account: OperatorAccount
  onClose: () => void
}

export function ChangePlan({ account, onClose }: ChangePlanProps) {
  const { id, name, domains, limits } = account
  const [plan, setPlan] = useState(account.plan)
  const change = useSetAccountPlan(id)
  const say = useToast()
  const isCustom = isCustomPlan(plan)
  return (
    <FormDialog
      title={`Change plan for ${name}`}
      onClose={onClose}
      submit="Change plan"
      submitting="Changing…"
      onSubmit={async (values) => {
        await change.mutateAsync({ plan, ...(isCustom ? { limits: customLimits(values) } : {}) })
        onClose()
        say({ words: `${name} is now on ${plans[plan].title}. The change takes effect immediately.` })
      }}
    >
      <PlanSelect value={plan} onChoose={setPlan} />
      {isCustom && <LimitFields limits={limits} />}
      {mayLoseWildcards(domains, account.plan, plan) && (
        <Notice tone="waiting" title="Wildcard domains will be suspended.">
          {plans[plan].title} does not include wildcards. Other domains stay as they are.
        </Notice>
      )}
      {wouldSuspend(domains, account.plan, plan) && (
        <Notice
          tone="waiting"
          title={`${domains === 1 ? 'A domain' : `${domains.toLocaleString('en')} domains`} will be suspended.`}
        >
          {plans[plan].title} does not include custom domains, so they stop working immediately. Nothing is
          deleted, and an upgrade restores them.
        </Notice>
      )}
    </FormDialog>
  )
}

interface PlanSelectProps {
  value: PlanName
  onChoose: (plan: PlanName) => void
}

export function PlanSelect({ value, onChoose }: PlanSelectProps) {
  return (
    <Select
      name="plan"
      label="Plan"
      hint={planSummary(value)}
      value={value}
      onChange={({ target }) => onChoose(planNames.find((name) => name === target.value) ?? value)}
    >
      {planNames.map((name) => (
        <option key={name} value={name}>
          {plans[name].title}
        </option>
      ))}
    </Select>
  )
}

/** Custom limits, for a plan without fixed ones. */
function LimitFields({ limits }: { limits: Account['limits'] }) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field
        name="perMinute"
        type="number"
        label="Requests per minute"
        step="any"
        required
        inputMode="numeric"
        defaultValue={limits.perMinute}
      />
      <Field
        name="perDay"
        type="number"
        label="Requests per day"
        step="any"
        required
        inputMode="numeric"
        defaultValue={limits.perDay}
      />
      <Field
        name="domainsPerProject"
        type="number"
        label="Domains per project"
        step="any"
        inputMode="numeric"
        defaultValue={limits.domainsPerProject || ''}
        hint="Leave empty for no limit."
      />
      <Field
        name="storage"
        type="number"
        label="Storage (GB)"
        step="any"
        inputMode="decimal"
        defaultValue={gigabytes(limits.storageBytes)}
        hint="Leave empty for the limit of Business."
      />
    </div>
  )
}
