import { ProblemError } from '@masthead/client/errors.ts'
import { slugError } from '@masthead/contract/project-settings.ts'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { isProblem } from '../../api/client.ts'
import { useServer } from '../../api/session.ts'
import { useCreateProject } from '../../data/projects.ts'
import { Form } from '../../form/form.tsx'
import { paths } from '../../paths.ts'
import { nameLength, projectNameFrom, type SiteUpload, slugFrom } from '../../publish/site.ts'
import { startPublication } from '../../publish/start-publication.ts'
import { Field } from '../../ui/field.tsx'
import { typedSlug } from './typed-slug.ts'

interface NewProjectFormProps {
  /** What it begins with; it can be published later, too. */
  site: SiteUpload | null
  aside?: ReactNode
  children?: ReactNode
}

/** Makes a project, publishes to it where there is something to publish, and leads there. */
export function NewProjectForm({ site, aside, children }: NewProjectFormProps) {
  const navigate = useNavigate()
  const create = useCreateProject()
  const platformDomain = useServer().data?.platformDomain ?? ''
  const [ownName, setOwnName] = useState<string | null>(null)
  const [ownSlug, setOwnSlug] = useState<string | null>(null)
  const name = ownName ?? projectNameFrom(site?.name ?? null)
  const slug = ownSlug ?? slugFrom(name)

  async function submit(): Promise<void> {
    const wanted = typedSlug(slug, platformDomain)
    setOwnSlug(wanted)
    const body = { slug: wanted, ...(name.trim() === '' ? {} : { name: name.trim() }) }
    const project = await create.mutateAsync(body).catch((error) => {
      throw besideSlug(error)
    })
    if (site !== null) startPublication(project, site, { goLive: true })
    navigate(paths.project(project.slug))
  }

  return (
    <Form
      onSubmit={submit}
      submit={site === null ? 'Create project' : 'Create and publish'}
      submitting="Creating…"
      aside={aside}
    >
      <Field
        name="name"
        label="Name"
        value={name}
        maxLength={nameLength}
        autoComplete="off"
        placeholder="Acme handbook"
        onChange={({ currentTarget }) => setOwnName(currentTarget.value)}
      />
      <Field
        name="slug"
        label="Address"
        required
        value={slug}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="acme-handbook"
        hint={<AddressHint slug={slug} platformDomain={platformDomain} />}
        onChange={({ currentTarget }) => setOwnSlug(currentTarget.value)}
        onBlur={() =>
          ownSlug !== null && setOwnSlug(ownSlug === '' ? null : typedSlug(ownSlug, platformDomain))
        }
      />
      {children}
    </Form>
  )
}

function AddressHint({ slug, platformDomain }: { slug: string; platformDomain: string }) {
  const wanted = typedSlug(slug, platformDomain)
  if (wanted === '') return 'Lower-case letters, digits and hyphens. It can be changed later.'
  const fault = slugError(wanted)
  if (fault !== null) return `“${wanted}” ${fault}.`
  return (
    <>
      It will be at{' '}
      <span className="font-mono break-all text-ink">
        {wanted}.{platformDomain}
      </span>
    </>
  )
}

/** That a slug is taken is about one field, and belongs beside it. */
function besideSlug(error: unknown): unknown {
  if (!isProblem(error, 'slug_taken')) return error
  const message = `${error.detail} ${error.fix}`
  return new ProblemError({ ...error.document, errors: [{ path: 'slug', message }] })
}
