import { isCustomPlan, type PlanName, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/status.tsx'
import { planFigures } from './plan-words.ts'

interface PlanColumnProps {
  name: PlanName
  account: Account
  /** Absent if the person may not change the plan. */
  onChoose: (() => void) | undefined
  pending: boolean
  /** Highlights it as the next step up. */
  next: boolean
}

export function PlanColumn({ name, account, onChoose, pending, next }: PlanColumnProps) {
  const { title } = plans[name]
  const current = account.plan === name
  const isCustom = isCustomPlan(name)
  return (
    <li className="flex flex-col py-6 lg:not-first:pl-5 lg:not-last:pr-5">
      <div className="flex min-h-7 items-center gap-3">
        <h3 className="font-serif text-section font-medium tracking-[-0.015em]">{title}</h3>
        {current && <Badge>Your plan</Badge>}
      </div>
      <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4 lg:grid-cols-1">
        {planFigures(name, current ? account.limits : undefined).map(({ value, unit }) => (
          <div key={unit} className="flex flex-col-reverse justify-end">
            <dt className="text-small text-soft">{unit}</dt>
            <dd className={`font-serif tracking-[-0.015em] ${figureSize(value)}`}>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="not-empty:mt-5 lg:mt-auto lg:not-empty:mt-auto lg:pt-6">
        {!current && isCustom && <p className="text-small text-soft">Custom limits, set by your operator.</p>}
        {!current && !isCustom && onChoose !== undefined && (
          <Button
            look={next ? 'primary' : 'plain'}
            pending={pending && 'Changing…'}
            onClick={onChoose}
            className="w-full sm:w-auto lg:w-full"
          >
            Change to {title}
          </Button>
        )}
      </div>
    </li>
  )
}

/** Words are smaller than figures, and so are figures too long for a phone. */
function figureSize(value: string): string {
  if (!/^\d/.test(value)) return 'text-section leading-9'
  return value.length > 7 ? 'text-section leading-9 sm:text-title' : 'text-title'
}
