import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { useProject } from '../../../layout/project-frame.tsx'
import { useMay, useSignedIn } from '../../../layout/signed-in.tsx'
import { Button } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { DeleteDialog } from './danger-zone/delete-dialog.tsx'

export function DangerZonePage() {
  const project = useProject()
  const mayDelete = useMay('admin')
  const { role } = useSignedIn()
  const [asking, setAsking] = useState(false)
  return (
    <Page title="Danger zone" lede="What is done here cannot be taken back.">
      <section className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4 border-y border-t-ink border-b-hairline py-5">
        <div className="min-w-0 grow basis-80">
          <h2 className="text-section">Delete this project</h2>
          <p className="mt-1 max-w-[60ch] text-soft">
            Its deployments, its files and its domains go with it, and nothing of it is served from the next
            request on.{mayDelete && ' You are shown what that is before it happens.'}
          </p>
          {!mayDelete && (
            <p className="mt-3 max-w-[60ch]">
              An owner of this account can delete it. You are here as {roles[role].title.toLowerCase()}.
            </p>
          )}
        </div>
        {mayDelete && (
          <Button className="text-stopped" onClick={() => setAsking(true)}>
            Delete project…
          </Button>
        )}
      </section>
      {asking && <DeleteDialog project={project} onClose={() => setAsking(false)} />}
    </Page>
  )
}
