import type { Session } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { problemWords } from '../problem-words.ts'
import { signOut, switchAccount } from '../session.ts'
import { initials } from './initials.ts'

const item =
  'block w-full truncate rounded-chip px-3 py-2 text-left transition-colors duration-150 hover:bg-wash focus-visible:-outline-offset-2'

/** The browser's own popover: it closes with Escape and by a click elsewhere, and gives the focus back. */
export function PersonMenu({ session }: { session: Session }) {
  const { person, role, account, accounts } = session
  const id = useId()
  const leave = useMutation({ mutationFn: () => signOut() })
  const change = useMutation({ mutationFn: switchAccount })
  const error = leave.error ?? change.error
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={`You: ${person.name}`}
        className="grid size-8 shrink-0 place-items-center rounded-full bg-ink text-[12px] font-semibold text-paper transition-colors duration-150 hover:bg-ink/85"
      >
        {initials(person.name)}
      </button>
      <div
        id={id}
        popover="auto"
        className="absolute inset-auto top-13 right-4 w-64 rounded-sheet border border-hairline bg-sheet p-1.5 text-ink shadow-float sm:right-7"
      >
        <div className="px-3 pt-2 pb-2.5">
          <p className="truncate font-medium">{person.name}</p>
          <p className="truncate text-small text-soft">{person.email}</p>
          <p className="mt-1 text-small text-soft">
            {roles[role].title} of {account.name}
          </p>
        </div>
        {accounts.length > 1 && (
          <div className="border-t border-hairline py-1.5">
            {accounts
              .filter((other) => other.id !== account.id)
              .map((other) => (
                <button key={other.id} type="button" className={item} onClick={() => change.mutate(other.id)}>
                  Switch to {other.name}
                </button>
              ))}
          </div>
        )}
        <div className="border-t border-hairline pt-1.5">
          <button type="button" className={item} onClick={() => leave.mutate()}>
            {leave.isPending ? 'Signing out…' : 'Sign out'}
          </button>
        </div>
        {error !== null && (
          <p role="alert" className="px-3 py-2 text-small text-stopped">
            {problemWords(error).what}
          </p>
        )}
      </div>
    </>
  )
}
