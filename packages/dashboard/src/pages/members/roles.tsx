import type { Member } from '@masthead/contract/schemas/people.ts'
import { type Role, roleNames, roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useChangeRole } from '../../data/people.ts'
import { problemWords } from '../../problem-words.ts'
import { Select } from '../../ui/field.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { asRole, roleSentence } from '../../ui/role-words.ts'
import { endedWords } from './ended-words.ts'

/** Changes a role right away, but asks first if it is your own. */
export function RoleChoice({ member: { person, role }, isMe }: { member: Member; isMe: boolean }) {
  const change = useChangeRole(person.id)
  const say = useToast()
  const [pendingRole, setPendingRole] = useState<Role | null>(null)
  const shown = pendingRole ?? (change.isPending ? change.variables : role)

  async function changeTo(next: Role) {
    const ended = endedWords(await change.mutateAsync(next))
    const words = `${isMe ? 'You are' : `${person.name} is`} now ${asRole(next)}${ended}.`
    say(isMe ? { words } : { words, undo: { of: person.id, run: () => change.mutate(role) } })
  }

  function choose(value: string) {
    const next = roleNames.find((name) => name === value)
    if (next === undefined || next === role) return
    if (isMe) setPendingRole(next)
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
        <Confirm
          title={`Become ${asRole(pendingRole)}?`}
          action="Change my role"
          acting="Changing…"
          onClose={() => {
            setPendingRole(null)
            change.reset()
          }}
          onConfirm={async () => {
            await changeTo(pendingRole)
            setPendingRole(null)
            focusPage()
          }}
        >
          <p>
            You will no longer be able to manage this account, and only another owner can change that. As{' '}
            {asRole(pendingRole)}, you can still do the following: {roleSentence(pendingRole)} API keys you
            created that can do more are revoked, and pipelines you trusted and webhooks you added are
            removed.
          </p>
        </Confirm>
      )}
    </>
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
