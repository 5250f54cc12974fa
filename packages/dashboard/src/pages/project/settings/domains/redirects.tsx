import { useRef, useState } from 'react'
import { ProblemNotice } from '../../../../problem-notice.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Section } from '../../../../ui/section.tsx'
import { Table } from '../../../../ui/table.tsx'
import { type Config, type Redirect, withoutRedirect } from './config-change.ts'
import type { ProjectNames } from './project-names.ts'
import { RedirectDialog } from './redirect-dialog.tsx'
import { RedirectRow } from './redirect-row.tsx'
import { useSaveConfig } from './save-config.ts'

interface RedirectsProps {
  slug: string
  config: Config
  names: ProjectNames
  mayChange: boolean
}

/** Which names lead to others. */
export function Redirects({ slug, config, names, mayChange }: RedirectsProps) {
  const { shown } = names
  const [editing, setEditing] = useState<Partial<Redirect> | null>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const remove = useSaveConfig(slug, shown)
  const { redirects } = config

  function removeRedirect({ from }: Redirect) {
    if (remove.isPending) return
    // Its own button goes with the row.
    addButton.current?.focus()
    remove.mutate({ seen: config, next: withoutRedirect(config, from) })
  }

  return (
    <Section
      title="Redirects"
      lede="A name that redirects sends its visitors on to another one of this project, path and query kept."
      aside={
        mayChange && (
          <Button ref={addButton} onClick={() => setEditing({})}>
            Add a redirect
          </Button>
        )
      }
    >
      {redirects.length === 0 ? (
        <p className="border-t border-hairline pt-4 text-soft">
          None. Every name above shows the site itself
          {mayChange && '; a former name, or the www one, is better sent on'}.
        </p>
      ) : (
        <Table
          label="Redirects"
          columns={mayChange ? ['From', 'To', 'Status', ''] : ['From', 'To', 'Status']}
        >
          {redirects.map((redirect) => (
            <RedirectRow
              key={redirect.from}
              redirect={redirect}
              shown={shown}
              onEdit={mayChange ? () => setEditing(redirect) : undefined}
              onRemove={mayChange ? () => removeRedirect(redirect) : undefined}
            />
          ))}
        </Table>
      )}
      {remove.error !== null && (
        <div className="mt-4">
          <ProblemNotice error={remove.error} />
        </div>
      )}
      {editing !== null && (
        <RedirectDialog
          slug={slug}
          config={config}
          names={names}
          redirect={editing}
          onClose={() => setEditing(null)}
        />
      )}
    </Section>
  )
}
