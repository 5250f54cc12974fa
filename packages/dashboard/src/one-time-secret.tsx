import type { PasswordReset } from '@masthead/contract/schemas/people.ts'
import { type ReactNode, useState } from 'react'
import { Confirm } from './confirm.tsx'
import { Button } from './ui/button.tsx'
import { Copy } from './ui/copy.tsx'
import { Dialog, DialogActions } from './ui/dialog.tsx'
import { Time } from './ui/time.tsx'

interface OneTimeSecretProps {
  title: string
  lede: ReactNode
  secret: string
  /** What it is, as in "Copy the key". */
  what: string
  children?: ReactNode
  onDone: () => void
}

/** Shows what is never shown again. It closes by its button; by a slip elsewhere only the second time. */
export function OneTimeSecret({ title, lede, secret, what, children, onDone }: OneTimeSecretProps) {
  const [warned, setWarned] = useState(false)
  return (
    <Dialog title={title} onClose={() => (warned ? onDone() : setWarned(true))}>
      <p className="text-soft">{lede}</p>
      <div className="mt-4 flex items-center gap-3 rounded-sheet border border-edge bg-wash py-2.5 pr-2.5 pl-4">
        <code className="min-w-0 flex-1 font-mono text-small break-all select-all">{secret}</code>
        <Copy text={secret} what={what} />
      </div>
      {children}
      <DialogActions>
        <p role="status" className="mr-auto self-center text-small text-waiting">
          {warned && 'It is not shown again. Close once more if you have it.'}
        </p>
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

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
      <OneTimeSecret
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
