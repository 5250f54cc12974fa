import { type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import { Select } from '../../../ui/select.tsx'
import { planSummary } from './plan-summary.ts'

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
