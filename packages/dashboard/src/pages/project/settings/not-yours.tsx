import { roles } from '@masthead/contract/scopes.ts'
import { useSignedIn } from '../../../layout/signed-in.tsx'

/** Says why nothing can be changed here, to somebody whose role does not allow it. */
export function NotYours({ who }: { who: string }) {
  const { role } = useSignedIn()
  return (
    <p className="mb-10 max-w-[60ch]">
      {who} of this account can change this. You are here as {roles[role].title.toLowerCase()}.
    </p>
  )
}
