import { isAgreed, type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import { useState } from 'react'
import { useChangePlan } from '../../data/account.ts'
import { ProblemNotice } from '../../problem-notice.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { LeaveAgreedDialog } from './leave-agreed-dialog.tsx'
import { PlanColumn } from './plan-column.tsx'
import { nextPlan } from './plan-words.ts'
import { SuspendDialog } from './suspend-dialog.tsx'
import { suspendedNames } from './suspended-names.ts'

/** What has to be said before a change of plan. */
type Question = { plan: PlanName; about: 'agreed' } | { plan: PlanName; about: 'domains'; names: string[] }

/** The plans side by side. An upgrade happens at once; what a downgrade would stop is named first. */
export function ChoosePlan({ account, mayChoose }: { account: Account; mayChoose: boolean }) {
  const [question, setQuestion] = useState<Question | null>(null)
  const change = useChangePlan()
  const say = useToast()
  const current = account.plan

  async function changeTo(plan: PlanName, before: PlanName, suspendDomains: boolean) {
    await change.mutateAsync({ plan, suspendDomains })
    setQuestion(null)
    const words = `The plan is ${plans[plan].title} now. It counts from the next request on.`
    if (isAgreed(before)) say({ words })
    else say({ words, action: { label: 'Undo', run: () => void choose(before, plan) } })
  }

  /** Asks where domains would stop; any other refusal is told below. */
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
    if (isAgreed(current)) setQuestion({ plan, about: 'agreed' })
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
      {question?.about === 'agreed' && (
        <LeaveAgreedDialog
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
