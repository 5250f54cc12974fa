import { type ReactNode, useContext } from 'react'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { FindButton } from './find/find-button.tsx'
import { AccountSwitcher, PersonMenu } from './menus.tsx'
import { MemberContext, usePersonSession } from './signed-in.tsx'

export function AppHeader({ title }: { title?: ReactNode }) {
  const { person } = usePersonSession()
  const member = useContext(MemberContext)
  return (
    <header className="border-b border-hairline print:hidden">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10 focus:bg-paper focus:p-2"
      >
        Skip to content
      </a>
      <div className="flex h-14 items-center gap-3 px-4 sm:gap-5 sm:px-7">
        <Link
          to={member === null ? paths.home() : paths.projects(member.account.id)}
          className="font-serif text-[22px] font-semibold tracking-[-0.015em]"
        >
          Masthead
        </Link>
        <div className="flex min-w-0 flex-1 items-center gap-1.5">
          {member !== null && <AccountSwitcher member={member} />}
          {title !== undefined && (
            <>
              {member !== null && (
                <span aria-hidden="true" className="text-soft">
                  /
                </span>
              )}
              {/* On a phone, the account gives way to it. */}
              <span
                dir="auto"
                className="min-w-0 truncate font-medium max-sm:max-w-[calc(100%-44px)] max-sm:shrink-0"
              >
                {title}
              </span>
            </>
          )}
        </div>
        <a
          href={paths.docs()}
          className="hidden text-soft transition-colors duration-150 hover:text-ink sm:inline"
        >
          Docs
        </a>
        {member !== null && <FindButton />}
        <PersonMenu person={person} member={member} />
      </div>
    </header>
  )
}
