import { Link } from 'react-router'
import { useSignedIn } from '../../../../../layout/signed-in.tsx'
import { paths } from '../../../../../paths.ts'
import { Button, buttonClass } from '../../../../../ui/button.tsx'
import { Notice } from '../../../../../ui/notices.tsx'
import { addRefusal, type NextAction } from './add-refusal.ts'
import type { AddedNames } from './use-add-form.ts'

interface NextActionProps {
  next: NextAction
  slug: string
  /** As normalized by the API. */
  hostname: string | undefined
  moving: boolean
  onMove: () => void
}

export function NextActionLink({ next, slug, hostname, moving, onMove }: NextActionProps) {
  const { account } = useSignedIn()
  switch (next) {
    case 'move':
      return (
        <Button pending={moving && 'Moving…'} onClick={onMove}>
          Move here
        </Button>
      )
    case 'open':
      return (
        hostname !== undefined && (
          <Link to={paths.domain(slug, hostname)} className={buttonClass()}>
            Open domain
          </Link>
        )
      )
    case 'publish':
      return (
        <Link to={paths.project(slug)} className={buttonClass()}>
          Publish project
        </Link>
      )
    case 'plan':
      return (
        <Link to={paths.plan(account.id)} className={buttonClass()}>
          Compare plans
        </Link>
      )
  }
}

interface AddFailureProps {
  added: AddedNames
  /** The www pair that was requested, in Unicode. */
  wwwPair: string
}

/** The domain was added, but its www pair or the redirect was not. */
export function AddFailure({ added: { domain, wwwPair, failure }, wwwPair: requested }: AddFailureProps) {
  if (failure === null) return null
  const { what, fix, next } = addRefusal(failure.error)
  const names = wwwPair === null ? `${domain.unicode} was` : `${domain.unicode} and ${wwwPair.unicode} were`
  return (
    <Notice
      tone="waiting"
      title={`${names} added, but ${failure.about === 'wwwPair' ? requested : 'the redirect'} was not.`}
    >
      {what}{' '}
      {failure.about === 'wwwPair'
        ? `${next === 'move' ? 'Add it separately to move it here.' : fix} The redirect was not added either.`
        : `${fix} Add the redirect below.`}
    </Notice>
  )
}
