import { roleNames, roles } from '@masthead/contract/scopes.ts'
import { Section } from '../../ui/section.tsx'
import { roleSentence } from './role-words.ts'

/** What the words in the list above mean. */
export function RolesSection() {
  return (
    <Section title="What roles may do">
      <dl className="divide-y divide-hairline border-t border-hairline">
        {roleNames.map((role) => (
          <div key={role} className="grid gap-x-6 py-3 sm:grid-cols-[8rem_minmax(0,1fr)]">
            <dt className="font-medium">{roles[role].title}</dt>
            <dd className="text-soft">{roleSentence(role)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
