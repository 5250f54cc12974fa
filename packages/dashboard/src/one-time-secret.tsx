import type { CreatedInvitation, PasswordReset } from '@masthead/contract/schemas/people.ts'
import { type ReactNode, useState } from 'react'
import { Confirm } from './confirm.tsx'
import { Button } from './ui/button.tsx'
import { Copy } from './ui/copy.tsx'
import { Dialog, DialogActions } from './ui/dialog.tsx'
import { asRole } from './ui/role-words.ts'
import { Time } from './ui/time.tsx'

interface OneTimeSecretProps {
  title: string
  intro: ReactNode
  secret: string
  /** Completes the label "Copy …", such as "the key". */
  what: string
  children?: ReactNode
  onDone: () => void
}

/** Shows a secret once. Escape or a click outside has to be repeated, in case it was a slip. */
export function OneTimeSecret({ title, intro, secret, what, children, onDone }: OneTimeSecretProps) {
  const [warned, setWarned] = useState(false)
  return (
    <Dialog title={title} onClose={() => (warned ? onDone() : setWarned(true))}>
      <p className="text-soft">{intro}</p>
      <div className="mt-4 flex items-center gap-3 rounded-sheet border border-edge bg-wash py-2.5 pr-2.5 pl-4">
        <code className="min-w-0 flex-1 font-mono text-small break-all select-all">{secret}</code>
        <Copy text={secret} what={what} />
      </div>
      {children}
      <DialogActions>
        <p role="status" className="mr-auto self-center text-small text-waiting">
          {warned && "This won't be shown again. Close once more if you have saved it."}
        </p>
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface InvitationLinkProps {
  invitation: CreatedInvitation
  onDone: () => void
}

/** Shows the link of an invitation once. */
export function InvitationLink({ invitation: { email, role, url, expiresAt }, onDone }: InvitationLinkProps) {
  return (
    <OneTimeSecret
      title={`Send this link to ${email}`}
      intro={
        <>
          We don't send email. Anyone who opens this link can join as {asRole(role)}. It works once, expires{' '}
          <Time at={expiresAt} kind="future" />, and won't be shown again.
        </>
      }
      secret={url}
      what="the link"
      onDone={onDone}
    />
  )
}

interface ResetLinkProps {
  name: string
  create: () => Promise<PasswordReset>
  onClose: () => void
}

/** Creates a password reset link, then shows it once. */
export function ResetLink({ name, create, onClose }: ResetLinkProps) {
  const [created, setCreated] = useState<PasswordReset | null>(null)
  if (created !== null) {
    return (
      <OneTimeSecret
        title={`Send this link to ${created.email}`}
        intro={
          <>
            We don't send email. Anyone who opens this link can sign in as <bdi>{name}</bdi>, so send it to
            nobody else. It works once and expires <Time at={created.expiresAt} kind="future" />.
          </>
        }
        secret={created.url}
        what="the link"
        onDone={onClose}
      />
    )
  }
  return (
    <Confirm
      title={`Reset ${name}'s password?`}
      action="Create link"
      acting="Creating…"
      onClose={onClose}
      onConfirm={async () => setCreated(await create())}
    >
      <p>
        You get a link that lets <bdi>{name}</bdi> set a new password within 24 hours. The current password
        works until the link is used; then all sessions of <bdi>{name}</bdi> end. Earlier links stop working
        now.
      </p>
    </Confirm>
  )
}
