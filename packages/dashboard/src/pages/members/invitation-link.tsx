import type { InvitationWithLink } from '../../data/people.ts'
import { ShownOnce } from '../../shown-once.tsx'
import { Time } from '../../ui/time.tsx'
import { asRole } from './role-words.ts'

interface InvitationLinkProps {
  invitation: InvitationWithLink
  onDone: () => void
}

export function InvitationLink({ invitation: { email, role, url, expiresAt }, onDone }: InvitationLinkProps) {
  return (
    <ShownOnce
      title={`Send this link to ${email}`}
      lede={
        <>
          No mail is sent for you. The link makes its reader {asRole(role)}, works once, and expires{' '}
          <Time at={expiresAt} kind="future" />. It is shown this once.
        </>
      }
      secret={url}
      what="the link"
      onDone={onDone}
    />
  )
}
