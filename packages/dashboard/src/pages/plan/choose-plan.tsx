import { isCustomPlan, type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useChangePlan } from '../../data/account.ts'
import { ProblemNotice } from '../../problem-notice.tsx'
import { useToast } from '../../ui/notices.tsx'
import { PlanColumn } from './plan-column.tsx'
import { nextPlan, suspendedNames } from './plan-words.ts'

/** What to confirm before changing the plan. */
type Question =
  | { plan: PlanName; about: 'custom limits' }
  | { plan: PlanName; about: 'domains'; names: string[] }

/** An upgrade happens right away. A downgrade first lists the domains it would suspend. */
export function ChoosePlan({ account, mayChoose }: { account: Account; mayChoose: boolean }) {
  const [question, setQuestion] = useState<Question | null>(null)
  const change = useChangePlan()
  const say = useToast()
  const current = account.plan

  async function changeTo(plan: PlanName, before: PlanName, suspendDomains: boolean) {
    await change.mutateAsync({ plan, suspendDomains })
    setQuestion(null)
    const words = `The plan is now ${plans[plan].title}. The change takes effect immediately.`
    if (isCustomPlan(before)) say({ words })
    else say({ words, undo: { of: 'plan', run: () => void choose(before, plan) } })
  }

  /** Asks first if domains would be suspended; other errors are shown below the plans. */
  async function choose(plan: PlanName, before: PlanName) {
    try {
      await changeTo(plan, before, false)
    } catch (error) {
      const names = suspendedNames(error)
      setQuestion(names && { plan, about: 'domains', names })
      if (names !== null) change.reset()
    }
  }

  function start(plan: PlanName) {
    if (change.isPending) return
    if (isCustomPlan(current)) setQuestion({ plan, about: 'custom limits' })
    else void choose(plan, current)
  }

  return (
    <>
      <ul
        aria-label="Plans"
        className="grid divide-y divide-hairline border-y border-t-ink border-b-hairline lg:grid-cols-4 lg:divide-x lg:divide-y-0"
      >
        {planNames.map((name) => (
          <PlanColumn
            key={name}
            name={name}
            account={account}
            onChoose={mayChoose ? () => start(name) : undefined}
            next={name === nextPlan(current)}
            pending={change.isPending && question === null && change.variables.plan === name}
          />
        ))}
      </ul>
      {change.error !== null && question === null && (
        <div className="mt-4">
          <ProblemNotice error={change.error} />
        </div>
      )}
      {question?.about === 'custom limits' && (
        <LeaveCustomDialog
          from={current}
          to={question.plan}
          onConfirm={() => choose(question.plan, current)}
          onClose={() => setQuestion(null)}
        />
      )}
      {question?.about === 'domains' && (
        <SuspendDialog
          plan={question.plan}
          names={question.names}
          onConfirm={() => changeTo(question.plan, current, true)}
          onClose={() => setQuestion(null)}
        />
      )}
    </>
  )
}

interface LeaveCustomDialogProps {
  from: PlanName
  to: PlanName
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Custom limits cannot be chosen again from the list. */
function LeaveCustomDialog({ from, to, onConfirm, onClose }: LeaveCustomDialogProps) {
  return (
    <Confirm
      title={`Leave ${plans[from].title}?`}
      action={`Change to ${plans[to].title}`}
      acting="Changing…"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      This account loses its custom limits. Only the operator can set them again.
    </Confirm>
  )
}

interface SuspendDialogProps {
  plan: PlanName
  names: string[]
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

function SuspendDialog({ plan, names, onConfirm, onClose }: SuspendDialogProps) {
  const { title } = plans[plan]
  const one = names.length === 1
  return (
    <Confirm
      title={`Change to ${title} and suspend ${one ? 'a domain' : `${names.length} domains`}?`}
      action={`Change to ${title}`}
      acting="Changing…"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        {title} does not include custom domains. {one ? 'This one stops' : 'These stop'} working immediately.
        Your projects stay available at their default addresses.
      </p>
      <ul
        aria-label="Domains that would be suspended"
        className="my-4 max-h-56 divide-y divide-hairline overflow-y-auto border-y border-t-ink border-b-hairline text-ink"
      >
        {names.map((name) => (
          <li key={name} className="py-2 font-mono text-small wrap-anywhere">
            {name}
          </li>
        ))}
      </ul>
      <p>
        Nothing is deleted: an upgrade restores {one ? 'it' : 'them'} with all records, redirects and
        settings.
      </p>
    </Confirm>
  )
}
