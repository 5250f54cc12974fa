import { Link } from 'react-router'
import { paths } from '../../paths.ts'

/** Opens the list of accounts, filtered to this one. */
export function AccountLink({ name }: { name: string }) {
  return (
    <Link to={`${paths.operatorAccounts()}?${new URLSearchParams({ search: name })}`} className="link">
      <bdi>{name}</bdi>
    </Link>
  )
}
