import { ProblemNotice } from '../../../../problem-notice.tsx'
import { Section } from '../../../../ui/section.tsx'
import { type Config, redirectOf, withPrimary } from './config-change.ts'
import { NameSelect } from './name-select.tsx'
import type { ProjectNames } from './project-names.ts'
import { useSaveConfig } from './save-config.ts'

interface PrimaryProps {
  slug: string
  config: Config
  names: ProjectNames
  mayChange: boolean
}

/** The name that the project goes by; the API keeps it from redirecting. */
export function Primary({ slug, config, names, mayChange }: PrimaryProps) {
  const { shown } = names
  const save = useSaveConfig(slug, shown)
  const chosen = save.isPending ? save.variables.next.primary : config.primary
  return (
    <Section
      title="Primary domain"
      lede="The name this project goes by. It shows the site itself and never redirects."
    >
      {mayChange ? (
        <div className="max-w-[420px]">
          <NameSelect
            label="Primary domain"
            labelHidden
            choices={names.all.map((name) => {
              const to = redirectOf(config, name)?.to
              return { name, not: to === undefined ? null : `redirects to ${shown(to)}` }
            })}
            chosen={chosen}
            shown={shown}
            onChoose={(name) =>
              save.isPending || save.mutate({ seen: config, next: withPrimary(config, name) })
            }
          />
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
