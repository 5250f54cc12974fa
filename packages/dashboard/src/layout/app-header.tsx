import type { Session } from '@masthead/contract/schemas/people.ts'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { PersonMenu } from './person-menu.tsx'

export function AppHeader({ session }: { session: Session }) {
  return (
    <header className="border-b border-hairline">
      <div className="flex h-14 items-center gap-5 px-4 sm:px-7">
        <Link to={paths.projects()} className="font-serif text-[22px] font-semibold tracking-[-0.015em]">
          Masthead
        </Link>
        <span className="min-w-0 flex-1 truncate font-medium">{session.account.name}</span>
        <a href={paths.docs()} className="text-soft transition-colors duration-150 hover:text-ink">
          Docs
        </a>
        <PersonMenu session={session} />
      </div>
    </header>
  )
}
