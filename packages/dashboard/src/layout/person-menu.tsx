import type { Person } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { problemWords } from '../problem-words.ts'
import { type MemberSession, signOut } from '../session.ts'
import { Menu, menuItem } from '../ui/menu.tsx'
import { initials } from './initials.ts'
import { ThemeSwitch } from './theme-switch.tsx'

interface PersonMenuProps {
  person: Person
  /** Null where the page is of no account. */
  member: MemberSession | null
}

export function PersonMenu({ person, member }: PersonMenuProps) {
  const leave = useMutation({ mutationFn: () => signOut() })
  return (
    <Menu
      label={`${initials(person.name)}: you, ${person.name}`}
      button={initials(person.name)}
      buttonClass="grid size-8 shrink-0 place-items-center rounded-full bg-ink text-[12px] font-semibold text-paper transition-colors duration-150 hover:bg-ink/85"
      place="top-13 right-4 sm:right-7"
    >
      <div className="px-3 pt-2 pb-2.5">
        <p className="truncate font-medium">{person.name}</p>
        <p className="truncate text-small text-soft">{person.email}</p>
        {member !== null && (
          <p className="mt-1 text-small text-soft">
            {roles[member.role].title} of {member.account.name}
          </p>
        )}
      </div>
      <ThemeSwitch />
      <div className="border-t border-hairline pt-1.5">
        <Link to={paths.person()} className={menuItem}>
          Your profile
        </Link>
        {person.operator && (
          <Link to={paths.operatorAccounts()} className={menuItem}>
            Operator
          </Link>
        )}
        <a href={paths.docs()} className={`${menuItem} sm:hidden`}>
          Docs
        </a>
        <button type="button" className={menuItem} onClick={() => leave.mutate()}>
          {leave.isPending ? 'Signing out…' : 'Sign out'}
        </button>
      </div>
      {leave.error !== null && (
        <p role="alert" className="px-3 py-2 text-small text-stopped">
          {problemWords(leave.error).what}
        </p>
      )}
    </Menu>
  )
}
