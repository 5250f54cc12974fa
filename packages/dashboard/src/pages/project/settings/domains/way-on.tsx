import { Link } from 'react-router'
import { useSignedIn } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import type { WayOn } from './add-refusal.ts'

interface WayOnProps {
  way: WayOn
  slug: string
  /** As the API understood it, once it told. */
  hostname: string | undefined
  moving: boolean
  onMove: () => void
}

/** What gets somebody past a refusal. */
export function WayOnLink({ way, slug, hostname, moving, onMove }: WayOnProps) {
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
