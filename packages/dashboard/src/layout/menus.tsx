import type { Person } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { Link } from 'react-router'
import { type MemberSession, signOut } from '../api/session.ts'
import { paths } from '../paths.ts'
import { problemWords } from '../problem-words.ts'
import { chooseTheme, type Theme, themes, useTheme } from '../theme.ts'
import { Menu, menuItem } from '../ui/navigation.tsx'
import { initials } from './initials.ts'

/** The current account, as a menu if there are several. */
export function AccountSwitcher({ member }: { member: MemberSession }) {
  const { account, accounts } = member
  if (accounts.length < 2) {
    return (
      <Link to={paths.projects(account.id)} dir="auto" className="min-w-0 truncate font-medium">
        {account.name}
      </Link>
    )
  }
  return (
    <Menu
      label={`Account: ${account.name}`}
      button={
        <>
          <span dir="auto" className="min-w-0 truncate">
            {account.name}
          </span>
          <span aria-hidden="true" className="text-soft">
            ⌄
          </span>
        </>
      }
      buttonClass="flex min-w-0 items-center gap-1.5 font-medium transition-colors duration-150 hover:text-soft"
      position="top-13 left-4 sm:left-32"
    >
      {accounts.map((each) => (
        <Link
          key={each.id}
          to={paths.projects(each.id)}
          aria-current={each.id === account.id || undefined}
          className={`${menuItem} flex items-baseline justify-between gap-3 aria-[current]:font-medium`}
        >
          <span dir="auto" className="truncate">
            {each.name}
          </span>
          <span className="shrink-0 text-small font-normal text-soft">{roles[each.role].title}</span>
        </Link>
      ))}
    </Menu>
  )
}

interface PersonMenuProps {
  person: Person
  /** Null on pages outside any account. */
  member: MemberSession | null
}

export function PersonMenu({ person, member }: PersonMenuProps) {
  const leave = useMutation({ mutationFn: () => signOut() })
  return (
    <Menu
      label={`${initials(person.name)}: menu for ${person.name}`}
      button={initials(person.name)}
      buttonClass="grid size-8 shrink-0 place-items-center rounded-full bg-ink forced-colors:border text-[12px] font-semibold text-paper transition-colors duration-150 hover:bg-ink/85"
      position="top-13 right-4 sm:right-7"
    >
      <div className="px-3 pt-2 pb-2.5">
        <p className="truncate font-medium">
          <bdi>{person.name}</bdi>
        </p>
        <p className="truncate text-small text-soft">{person.email}</p>
        {member !== null && (
          <p className="mt-1 text-small text-soft">
            {roles[member.role].title} of <bdi>{member.account.name}</bdi>
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

const words: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' }

function ThemeSwitch() {
  const shown = useTheme()
  const id = useId()
  return (
    <fieldset className="border-t border-hairline px-3 pt-2 pb-2.5">
      <legend className="float-left mb-1.5 w-full text-small text-soft">Theme</legend>
      <div className="clear-left grid grid-cols-3 overflow-hidden rounded-chip border border-control text-center text-small">
        {themes.map((theme) => (
          <label
            key={theme}
            className="cursor-pointer border-control py-1 not-first:border-l has-checked:bg-ink has-checked:text-paper forced-colors:has-checked:highlighted has-focus-visible:outline-2 has-focus-visible:-outline-offset-2"
          >
            <input
              type="radio"
              name={id}
              value={theme}
              checked={theme === shown}
              onChange={() => chooseTheme(theme)}
              className="sr-only"
            />
            {words[theme]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
