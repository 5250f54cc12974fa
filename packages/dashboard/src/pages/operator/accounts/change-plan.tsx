import { isCustomPlan, type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { useSetAccountPlan } from '../../../data/operator.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { Field, Select } from '../../../ui/field.tsx'
import { Notice, useToast } from '../../../ui/notices.tsx'
import { agreedLimits, gigabytes, planSummary, wouldSuspend } from './plan-limits.ts'

interface ChangePlanProps {
  account: OperatorAccount
  onClose: () => void
}

export function ChangePlan({ account, onClose }: ChangePlanProps) {
  const { id, name, domains, limits } = account
  const [plan, setPlan] = useState(account.plan)
  const change = useSetAccountPlan(id)
  const say = useToast()
  const agreed = isCustomPlan(plan)
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

/** The limits that were agreed upon, which only a plan without limits of its own has. */
function LimitFields({ limits }: { limits: Account['limits'] }) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field
        name="perMinute"
        type="number"
        label="Requests a minute"
        step="any"
        required
        inputMode="numeric"
        defaultValue={limits.perMinute}
      />
      <Field
        name="perDay"
        type="number"
        label="Requests a day"
        step="any"
        required
        inputMode="numeric"
        defaultValue={limits.perDay}
      />
      <Field
        name="domainsPerProject"
        type="number"
        label="Domains a project"
        step="any"
        inputMode="numeric"
        defaultValue={limits.domainsPerProject || ''}
        hint="Left empty: any number."
      />
      <Field
        name="storage"
        type="number"
        label="Storage in GB"
        step="any"
        inputMode="decimal"
        defaultValue={gigabytes(limits.storageBytes)}
        hint="Left empty: as much as Business."
      />
    </div>
  )
}
