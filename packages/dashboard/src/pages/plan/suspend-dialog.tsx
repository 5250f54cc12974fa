import { type PlanName, plans } from '@masthead/contract/plans.ts'
import { Confirm } from '../../confirm.tsx'

interface SuspendDialogProps {
  plan: PlanName
  names: string[]
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** The consequences of a downgrade, by name, before it happens. */
export function SuspendDialog({ plan, names, onConfirm, onClose }: SuspendDialogProps) {
  const { title } = plans[plan]
  const one = names.length === 1
  return (
    <Confirm
      title={`Change to ${title} and suspend ${one ? 'a domain' : `${names.length} domains`}?`}
      action={`Change to ${title}`}
      acting="Changing…"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        {title} has no domains of your own. {one ? 'This one stops' : 'These stop'} being served at once;
        visitors find nobody there. The projects stay at their own addresses.
      </p>
      <ul
        aria-label="Domains that would be suspended"
        className="my-4 max-h-56 divide-y divide-hairline overflow-y-auto border-y border-t-ink border-b-hairline text-ink"
      >
        {names.map((name) => (
          <li key={name} className="py-2 font-mono text-small wrap-anywhere">
            {name}
          </li>
        ))}
      </ul>
      <p>
        Nothing is deleted: records, redirects and settings are kept, and an upgrade resumes{' '}
        {one ? 'it' : 'all of them'}.
      </p>
    </Confirm>
  )
}
