import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { Link } from 'react-router'
import { useSignedIn } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'

/** Kept, not served: why, and the way back. */
export function Suspended({ domain: { unicode } }: { domain: Domain }) {
  const { account } = useSignedIn()
  return (
    <p className="mt-3 max-w-[64ch]">
      {unicode} is kept but not served, because the plan has no custom domains.{' '}
      <Link to={paths.plan(account.id)} className="link">
        A plan that has them
      </Link>{' '}
      resumes it by itself.
    </p>
  )
}
