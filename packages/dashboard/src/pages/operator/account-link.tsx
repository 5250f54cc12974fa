import { Link } from 'react-router'
import { paths } from '../../paths.ts'

/** Leads to an account among all of them. */
export function AccountLink({ name }: { name: string }) {
  return (
    <Link to={`${paths.operatorAccounts()}?${new URLSearchParams({ search: name })}`} className="link">
      {name}
    </Link>
  )
}
