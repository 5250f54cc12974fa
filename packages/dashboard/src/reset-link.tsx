import type { PasswordReset } from '@masthead/contract/schemas/people.ts'
import { useState } from 'react'
import { Confirm } from './confirm.tsx'
import { ShownOnce } from './shown-once.tsx'
import { Time } from './ui/time.tsx'

interface ResetLinkProps {
  name: string
  create: () => Promise<PasswordReset>
  onClose: () => void
}

/** Creates a link by which a person sets a new password, then shows it once. */
export function ResetLink({ name, create, onClose }: ResetLinkProps) {
  const [made, setMade] = useState<PasswordReset | null>(null)
  if (made !== null) {
    return (
      <ShownOnce
        title={`Send this link to ${made.email}`}
        lede={
          <>
            No mail is sent for you. Whoever opens the link signs in as {name}, so give it to nobody else. It
            works once and expires <Time at={made.expiresAt} kind="future" />.
          </>
        }
        secret={made.url}
        what="the link"
        onDone={onClose}
      />
    )
  }
  return (
    <Confirm
      title={`Reset the password of ${name}?`}
      action="Create the link"
      acting="Creating…"
      onClose={onClose}
      onConfirm={async () => setMade(await create())}
    >
      <p>
        You get a link by which {name} sets a new password within 24 hours. The current password works until
        the link is used; then all sessions of {name} end. An earlier link stops working now.
      </p>
    </Confirm>
  )
}
