import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { ProblemNotice } from '../../../../../problem-notice.tsx'
import { Checkbox } from '../../../../../ui/choices.tsx'
import { useFocusFallback } from '../../../../../ui/focus.tsx'
import { Section } from '../../../../../ui/page.tsx'
import { NameSelect, type ProjectNames } from '../project-names.tsx'
import {
  primaryChoices,
  redirectsToPrimary,
  suggestedPrimary,
  withDefaultRedirect,
  withoutDefaultRedirect,
} from './choices.ts'
import { type DomainsConfig, withPrimary } from './config.ts'
import { useSaveConfig } from './save-config.ts'

interface PrimaryProps {
  domains: readonly Domain[]
  slug: string
  config: DomainsConfig
  names: ProjectNames
  mayChange: boolean
}

export function Primary({ domains, slug, config, names, mayChange }: PrimaryProps) {
  const { own, shown, branchOf } = names
  const save = useSaveConfig(slug, shown)
  const now = save.isPending ? save.variables.next : config
  const chosen = now.primary
  const suggested = suggestedPrimary(now, own, domains)
  const change = (next: DomainsConfig) => save.mutate({ seen: now, next })
  // The suggestion disappears once it is accepted.
  const container = useFocusFallback<HTMLDivElement>(suggested)
  return (
    <Section title="Primary domain" intro="The main address of this project. It never redirects.">
      {mayChange ? (
        <div {...container} className="max-w-[420px] outline-none">
          <NameSelect
            label="Primary domain"
            labelHidden
            choices={primaryChoices(now, names)}
            chosen={chosen}
            shown={shown}
            onChoose={(name) => change(withPrimary(now, name))}
          />
          {suggested !== null && (
            <p className="mt-3 text-small text-soft wrap-anywhere">
              {shown(suggested)} is live.{' '}
              <button
                type="button"
                className="link rounded-chip"
                onClick={() => change(withPrimary(now, suggested))}
              >
                Make it the primary domain
              </button>
            </p>
          )}
          {chosen !== own && (
            <div className="mt-4">
              <Checkbox
                label={<span className="wrap-anywhere">Redirect {own} to it</span>}
                hint={
                  <span className="wrap-anywhere">
                    {withoutDefaultRedirect(now, own, branchOf(chosen), shown)}
                  </span>
                }
                checked={redirectsToPrimary(now, own)}
                onChange={({ target }) => change(withDefaultRedirect(now, own, target.checked))}
              />
            </div>
          )}
        </div>
      ) : (
        <p className="font-medium wrap-anywhere">{shown(config.primary)}</p>
      )}
      {save.error !== null && (
        <div className="mt-4">
          <ProblemNotice error={save.error} />
        </div>
      )}
    </Section>
  )
}
