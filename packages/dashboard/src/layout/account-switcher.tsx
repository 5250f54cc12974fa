import { roles } from '@masthead/contract/scopes.ts'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import type { MemberSession } from '../session.ts'
import { Menu, menuItem } from '../ui/menu.tsx'

/** The account that the page is of; a menu where there are others. */
export function AccountSwitcher({ member }: { member: MemberSession }) {
  const { account, accounts } = member
  if (accounts.length < 2) {
    return (
      <Link to={paths.projects(account.id)} className="min-w-0 truncate font-medium">
        {account.name}
      </Link>
    )
  }
  return (
    <Menu
      label={`Account: ${account.name}`}
      button={
        <>
          <span className="min-w-0 truncate">{account.name}</span>
          <span aria-hidden="true" className="text-soft">
            ⌄
          </span>
        </>
      }
      buttonClass="flex min-w-0 items-center gap-1.5 font-medium transition-colors duration-150 hover:text-soft"
      place="top-13 left-4 sm:left-32"
    >
      {accounts.map((each) => (
        <Link
          key={each.id}
          to={paths.projects(each.id)}
          aria-current={each.id === account.id || undefined}
          className={`${menuItem} flex items-baseline justify-between gap-3 aria-[current]:font-medium`}
        >
          <span className="truncate">{each.name}</span>
          <span className="shrink-0 text-small font-normal text-soft">{roles[each.role].title}</span>
        </Link>
      ))}
    </Menu>
  )
}
