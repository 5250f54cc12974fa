import type { Member } from '@masthead/contract/schemas/people.ts'
import { allowsLess, type Role, roleNames, roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useChangeRole } from '../../data/people.ts'
import { problemWords } from '../../problem-words.ts'
import { Checkbox } from '../../ui/choices.tsx'
import { Select } from '../../ui/field.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { asRole, roleSentence } from '../../ui/role-words.ts'
import { endedWords } from './ended-words.ts'

interface RoleChoiceProps {
  member: Member
  isMe: boolean
}

/** Changes a role right away, but asks first if it allows less: what the member created ends with it. */
export function RoleChoice({ member: { person, role }, isMe }: RoleChoiceProps) {
  const change = useChangeRole(person.id)
  const say = useToast()
  const [pendingRole, setPendingRole] = useState<Role | null>(null)
  const shown = pendingRole ?? (change.isPending ? change.variables.role : role)

  async function changeTo(next: Role, keys: 'revoke' | 'keep' = 'revoke') {
    const ended = endedWords(await change.mutateAsync({ role: next, keys }))
    const words = `${isMe ? 'You are' : `${person.name} is`} now ${asRole(next)}${ended}.`
    // What ended does not come back with the role, nor do the invitations of an owner, which are not listed.
    const canUndo = !isMe && role !== 'owner' && ended === ''
    const of = person.id
    say(canUndo ? { words, undo: { of, run: () => change.mutate({ role }) } } : { words, of })
  }

  function choose(value: string) {
    const next = roleNames.find((name) => name === value)
    if (next === undefined || next === role) return
    if (allowsLess(next, role)) setPendingRole(next)
    // The error of the mutation is shown below the select.
    else changeTo(next).catch(() => {})
  }

  return (
    <>
      <Select
        label={`Role of ${person.name}`}
        labelHidden
        value={shown}
        onChange={({ target }) => choose(target.value)}
      >
        {roleNames.map((name) => (
          <option key={name} value={name}>
            {roles[name].title}
          </option>
        ))}
      </Select>
      {change.error !== null && pendingRole === null && <Refusal error={change.error} />}
      {pendingRole !== null && (
        <LowerRole
          person={person}
          from={role}
          to={pendingRole}
          isMe={isMe}
          onClose={() => {
            setPendingRole(null)
            change.reset()
          }}
          onConfirm={async (keys) => {
            await changeTo(pendingRole, keys)
            setPendingRole(null)
            focusPage()
          }}
        />
      )}
    </>
  )
}

interface LowerRoleProps {
  person: Member['person']
  from: Role
  to: Role
  isMe: boolean
  onConfirm: (keys: 'revoke' | 'keep') => Promise<void>
  onClose: () => void
}

function LowerRole({ person, from, to, isMe, onConfirm, onClose }: LowerRoleProps) {
  const [keepsKeys, setKeepsKeys] = useState(false)
  return (
    <Confirm
      title={isMe ? `Become ${asRole(to)}?` : `Make ${person.name} ${asRole(to)}?`}
      action={isMe ? 'Change my role' : 'Change role'}
      acting="Changing…"
      onClose={onClose}
      onConfirm={() => onConfirm(keepsKeys ? 'keep' : 'revoke')}
    >
      {isMe ? (
        <p>
          You will no longer be able to manage this account, and only another owner can change that. As{' '}
          {asRole(to)}, you can still do the following: {roleSentence(to)} API keys you created that can do
          more and invitations you sent are revoked, and pipelines you trusted and webhooks you added are
          removed.
        </p>
      ) : (
        <>
          <p>
            {person.email} will no longer be able to{' '}
            {from === 'owner' ? 'manage this account' : 'publish or change domains'}. API keys they created
            that can do more than {asRole(to)} and invitations they sent are revoked, and pipelines they
            trusted and webhooks they added are removed.
          </p>
          <KeepWhatTheyCreated checked={keepsKeys} onChange={setKeepsKeys} />
        </>
      )}
    </Confirm>
  )
}

interface KeepProps {
  checked: boolean
  onChange: (checked: boolean) => void
}

export function KeepWhatTheyCreated({ checked, onChange }: KeepProps) {
  return (
    <div className="mt-3">
      <Checkbox
        label="Keep their keys, invitations, pipelines and webhooks"
        hint="For those that programs still use."
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  )
}

function Refusal({ error }: { error: unknown }) {
  const { what, fix } = problemWords(error)
  return (
    <p role="alert" className="mt-1.5 max-w-[32ch] text-small text-stopped">
      {what} {fix}
    </p>
  )
}

export function RolesSection() {
  return (
    <Section title="What each role can do">
      <dl className="divide-y divide-hairline border-t border-hairline">
        {roleNames.map((role) => (
          <div key={role} className="grid gap-x-6 py-3 sm:grid-cols-[8rem_minmax(0,1fr)]">
            <dt className="font-medium">{roles[role].title}</dt>
            <dd className="text-soft">{roleSentence(role)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
