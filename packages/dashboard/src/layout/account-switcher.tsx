import { roles } from '@masthead/contract/scopes.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { problemWords } from '../problem-words.ts'
import { type MemberSession, switchAccount } from '../session.ts'
import { Menu, menuItem } from '../ui/menu.tsx'

/** The account that is acted for; a menu where there are others. */
export function AccountSwitcher({ session }: { session: MemberSession }) {
  const { account, accounts } = session
  const change = useMutation({ mutationFn: switchAccount })
  if (accounts.length < 2) {
    return (
      <Link to={paths.projects()} className="min-w-0 truncate font-medium">
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
        <button
          key={each.id}
          type="button"
          aria-current={each.id === account.id || undefined}
          className={`${menuItem} flex items-baseline justify-between gap-3 aria-[current]:font-medium`}
          onClick={() => change.mutate(each.id)}
        >
          <span className="truncate">{each.name}</span>
          <span className="shrink-0 text-small font-normal text-soft">{roles[each.role].title}</span>
        </button>
      ))}
      {change.error !== null && (
        <p role="alert" className="px-3 py-2 text-small text-stopped">
          {problemWords(change.error).what}
        </p>
      )}
    </Menu>
  )
}
