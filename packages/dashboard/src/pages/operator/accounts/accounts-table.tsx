import { plans } from '@masthead/contract/plans.ts'
import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { Confirm } from '../../../confirm.tsx'
import { useRestoreAccount, useSuspendAccount } from '../../../data/operator.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { RowAction } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { useToast } from '../../../ui/notices.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { ChangePlan } from './change-plan.tsx'
import { InviteOwner } from './invite-owner.tsx'
import { domainsWords } from './plan-limits.ts'

const columns = ['Account', 'Plan', 'Contents', 'Requests', '']

export function AccountsTable({ accounts }: { accounts: readonly OperatorAccount[] }) {
  const [changing, setChanging] = useState<OperatorAccount | null>(null)
  const [inviting, setInviting] = useState<OperatorAccount | null>(null)
  const [stopping, setStopping] = useState<OperatorAccount | null>(null)
  return (
    <>
      <Table label="Accounts" columns={columns}>
        {accounts.map((account) => (
          <AccountRow
            key={account.id}
            account={account}
            onChange={() => setChanging(account)}
            onInvite={() => setInviting(account)}
            onStop={() => setStopping(account)}
          />
        ))}
      </Table>
      {stopping?.suspension === null && (
        <SuspendAccount account={stopping} onClose={() => setStopping(null)} />
      )}
      {stopping?.suspension && <RestoreAccount account={stopping} onClose={() => setStopping(null)} />}
      {inviting !== null && <InviteOwner account={inviting} onClose={() => setInviting(null)} />}
      {changing !== null && <ChangePlan account={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

interface AccountRowProps {
  account: OperatorAccount
  onChange: () => void
  onInvite: () => void
  onStop: () => void
}

function AccountRow({ account, onChange, onInvite, onStop }: AccountRowProps) {
  const { suspension } = account
  const { name, plan, limits, projects, domains, members, usedToday, createdAt } = account
  return (
    <Row>
      <Cell>
        <bdi className="font-medium">{name}</bdi>
        <span className="block text-small text-soft lg:whitespace-nowrap">
          created <Time at={createdAt} />
        </span>
        {suspension !== null && (
          <span className="block text-small text-stopped">
            Suspended: <bdi>{suspension.reason}</bdi>
          </span>
        )}
      </Cell>
      <Cell of="Plan">
        {plans[plan].title}
        <span className="block text-small text-soft">
          <span className="whitespace-nowrap">{limits.perMinute.toLocaleString('en')} per minute,</span>{' '}
          <span className="whitespace-nowrap">{limits.perDay.toLocaleString('en')} per day</span>
          {limits.domainsPerProject !== 0 && (
            <>
              , <span className="whitespace-nowrap">{domainsWords(limits.domainsPerProject)}</span>
            </>
          )}
        </span>
      </Cell>
      <Cell of="Contents">
        <span className="block whitespace-nowrap">{countWords(projects, 'project')}</span>
        <span className="block whitespace-nowrap">{countWords(domains, 'domain')}</span>
        <span className="block whitespace-nowrap">{countWords(members, 'member')}</span>
      </Cell>
      <Cell of="Requests" oneLine>
        {usedToday.toLocaleString('en')} today
      </Cell>
      <Cell end oneLine>
        <RowAction harmless label={`Change plan for ${name}`} onClick={onChange}>
          Change plan
        </RowAction>
        <span className="ml-4 inline-block md:ml-0 md:block">
          <RowAction harmless label={`Invite owner for ${name}`} onClick={onInvite}>
            Invite owner
          </RowAction>
        </span>
        <span className="ml-4 inline-block md:ml-0 md:block">
          <RowAction
            harmless={suspension !== null}
            label={suspension === null ? `Suspend ${name}` : `Restore ${name}`}
            onClick={onStop}
          >
            {suspension === null ? 'Suspend' : 'Restore'}
          </RowAction>
        </span>
      </Cell>
    </Row>
  )
}

function countWords(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`
}

interface AccountDialogProps {
  account: OperatorAccount
  onClose: () => void
}

function SuspendAccount({ account: { id, name }, onClose }: AccountDialogProps) {
  const suspend = useSuspendAccount(id)
  const say = useToast()
  return (
    <FormDialog
      title={`Suspend ${name}`}
      onClose={onClose}
      submit="Suspend account"
      submitting="Suspending…"
      onSubmit={async ({ reason = '' }) => {
        await suspend.mutateAsync(reason)
        onClose()
        say({ words: `${name} was suspended.` })
      }}
    >
      <p className="text-soft">
        Its API keys stop working and its sites show an error page. Members can sign in and see the reason.
        Nothing is deleted.
      </p>
      <Field
        name="reason"
        label="Reason"
        required
        maxLength={500}
        autoComplete="off"
        autoFocus
        hint="Shown to members of the account, not to visitors."
      />
    </FormDialog>
  )
}

function RestoreAccount({ account: { id, name, suspension }, onClose }: AccountDialogProps) {
  const restore = useRestoreAccount(id)
  const say = useToast()
  return (
    <Confirm
      title={`Restore ${name}?`}
      action="Restore account"
      acting="Restoring…"
      onClose={onClose}
      onConfirm={async () => {
        await restore.mutateAsync()
        onClose()
        say({ words: `${name} was restored.` })
      }}
    >
      <p>
        Its API keys and sites start working again. It was suspended for this reason: “{suspension?.reason}”
      </p>
    </Confirm>
  )
}
