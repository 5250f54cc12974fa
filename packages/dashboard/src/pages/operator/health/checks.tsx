import type { HealthCheck } from '@masthead/contract/schemas/operator.ts'
import { RuledList } from '../../../ui/rule.tsx'
import { Status } from '../../../ui/status.tsx'
import { checkTitles } from './words.ts'

/** Each part of the server with a word and what it says of itself; those that need a look come first. */
export function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  const worstFirst = [...checks].sort((a, b) => Number(a.ok) - Number(b.ok))
  return (
    <RuledList label="Checks">
      {worstFirst.map(({ name, ok, message }) => (
        <li
          key={name}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 py-3.5 sm:grid-cols-[180px_minmax(0,1fr)_auto]"
        >
          <h3 className="font-medium">{checkTitles[name]}</h3>
          <p className="col-span-2 row-start-2 min-w-0 text-soft wrap-anywhere sm:col-span-1 sm:row-auto">
            {message}
          </p>
          <Status tone={ok ? 'live' : 'stopped'}>{ok ? 'Well' : 'Needs a look'}</Status>
        </li>
      ))}
    </RuledList>
  )
}
