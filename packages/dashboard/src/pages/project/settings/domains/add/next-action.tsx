import { Link } from 'react-router'
import { useSignedIn } from '../../../../../layout/signed-in.tsx'
import { paths } from '../../../../../paths.ts'
import { Button, buttonClass } from '../../../../../ui/button.tsx'
import { Notice } from '../../../../../ui/notices.tsx'
import { addRefusal, type NextAction } from './add-refusal.ts'
import type { AddedNames } from './use-add-form.ts'

interface NextActionProps {
  way: NextAction
  slug: string
  /** As the API understood it, once it told. */
  hostname: string | undefined
  moving: boolean
  onMove: () => void
}

/** What gets somebody past a refusal. */
export function NextActionLink({ way, slug, hostname, moving, onMove }: NextActionProps) {
  const { account } = useSignedIn()
  switch (way) {
    case 'move':
      return (
        <Button pending={moving && 'Moving…'} onClick={onMove}>
          Move it here
        </Button>
      )
    case 'open':
      return (
        hostname !== undefined && (
          <Link to={paths.domain(slug, hostname)} className={buttonClass()}>
            Open it
          </Link>
        )
      )
    case 'publish':
      return (
        <Link to={paths.project(slug)} className={buttonClass()}>
          Publish it
        </Link>
      )
    case 'plan':
      return (
        <Link to={paths.plan(account.id)} className={buttonClass()}>
          See what each plan gives
        </Link>
      )
  }
}

interface AddTroubleProps {
  added: AddedNames
  /** The twin that was asked for, as people read it. */
  twin: string
}

/** The first name was added, and not all that should have come with it. */
export function AddTrouble({ added: { domain, twin, trouble }, twin: asked }: AddTroubleProps) {
  if (trouble === null) return null
  const { what, fix, way } = addRefusal(trouble.error)
  const names = twin === null ? `${domain.unicode} is` : `${domain.unicode} and ${twin.unicode} are`
  return (
    <Notice
      tone="waiting"
      title={`${names} added, but ${trouble.about === 'twin' ? `${asked} is not` : 'nothing redirects'}.`}
    >
      {what}{' '}
      {trouble.about === 'twin'
        ? `${way === 'move' ? 'Add it by itself to move it here.' : fix} Nothing redirects yet.`
        : `${fix} Add the redirect below.`}
    </Notice>
  )
}
