import type { Project } from '@masthead/contract/schemas/project.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useDeployments } from '../../../data/deployments.ts'
import { useDomains } from '../../../data/domains.ts'
import { useDeleteProject } from '../../../data/projects.ts'
import { Form } from '../../../form/form.tsx'
import { useProject } from '../../../layout/project-frame.tsx'
import { useHasScope, useSignedIn } from '../../../layout/signed-in.tsx'
import { Loaded } from '../../../loaded.tsx'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/button.tsx'
import { CancelButton, Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { useToast } from '../../../ui/notices.tsx'
import { Page } from '../../../ui/page.tsx'

export function DangerZonePage() {
  const project = useProject()
  const mayDelete = useHasScope('admin')
  const { role } = useSignedIn()
  const [asking, setAsking] = useState(false)
  return (
    <Page title="Danger zone" intro="These actions cannot be undone.">
      <section className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4 border-y border-t-ink border-b-hairline py-5">
        <div className="min-w-0 grow basis-80">
          <h2 className="text-section">Delete this project</h2>
          <p className="mt-1 max-w-[60ch] text-soft">
            Permanently deletes <bdi className="font-medium text-ink">{project.name}</bdi> with its
            deployments, files and domains. The site goes offline immediately.
            {mayDelete && ' You can review what is deleted before you confirm.'}
          </p>
          {!mayDelete && (
            <p className="mt-3 max-w-[60ch]">
              Only an owner can delete it. Your role is {roles[role].title.toLowerCase()}.
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

interface DeleteDialogProps {
  project: Project
  onClose: () => void
}

function DeleteDialog({ project, onClose }: DeleteDialogProps) {
  const remove = useDeleteProject(project)
  const navigate = useNavigate()
  const say = useToast()
  const { slug } = project

  async function confirmed() {
    await remove.mutateAsync()
    navigate(paths.projects(project.accountId), { replace: true })
    say({ words: `${slug} was deleted.` })
  }

  return (
    <Dialog title={`Delete ${slug}`} onClose={onClose}>
      <DeletionSummary project={project} />
      <div className="mt-5">
        <Form
          onSubmit={confirmed}
          submit={`Delete ${slug} permanently`}
          submitting="Deleting…"
          aside={<CancelButton onClick={onClose} />}
        >
          <Field
            name="slug"
            label={`Type ${slug} to confirm`}
            required
            pattern={slug}
            title={`Type ${slug} exactly as shown.`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
          />
        </Form>
      </div>
    </Dialog>
  )
}

function DeletionSummary({ project: { slug, url } }: { project: Project }) {
  const deployments = useDeployments(slug)
  const domains = useDomains(slug)
  return (
    <>
      <p className="text-soft">The site goes offline immediately. This cannot be undone.</p>
      <ul
        aria-label="What will be deleted"
        className="mt-4 max-h-64 divide-y divide-hairline overflow-y-auto border-t border-ink"
      >
        <li className="py-2.5">
          <span className="font-mono text-small wrap-anywhere">{new URL(url).host}</span>
          <span className="text-small text-soft"> · anyone can claim this address afterwards</span>
        </li>
        <Loaded query={deployments} waiting={<Counting />}>
          {({ length }) => (
            <li className="py-2.5">
              {length === 1
                ? '1 deployment'
                : `${length}${deployments.hasNextPage ? ' or more' : ''} deployments`}{' '}
              <span className="text-small text-soft">with all their files</span>
            </li>
          )}
        </Loaded>
        <Loaded query={domains} waiting={<Counting />}>
          {(all) => all.map(({ hostname, unicode }) => <DeletedDomain key={hostname} name={unicode} />)}
        </Loaded>
        {domains.hasNextPage && <li className="py-2.5">and all other domains of this project</li>}
      </ul>
    </>
  )
}

function DeletedDomain({ name }: { name: string }) {
  return (
    <li className="py-2.5">
      <span className="font-medium wrap-anywhere">{name}</span>
      <span className="text-small text-soft"> · with its certificate</span>
    </li>
  )
}

function Counting() {
  return <li className="after-a-moment py-2.5 text-soft">Loading…</li>
}
