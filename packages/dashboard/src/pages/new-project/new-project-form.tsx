import { ProblemError } from '@masthead/client/errors.ts'
import { slugError } from '@masthead/contract/slugs.ts'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { isProblem } from '../../api/client.ts'
import { useServer } from '../../api/session.ts'
import { useCreateProject } from '../../data/projects.ts'
import { Form } from '../../form/form.tsx'
import { paths } from '../../paths.ts'
import { nameLength, projectNameFrom, type SiteUpload, slugFrom } from '../../publish/site.ts'
import { startUpload } from '../../publish/start-upload.ts'
import { Field } from '../../ui/field.tsx'
import { typedSlug } from './typed-slug.ts'

interface NewProjectFormProps {
  /** The files to publish right away, if any. */
  site: SiteUpload | null
  aside?: ReactNode
  children?: ReactNode
}

/** Creates a project, publishes the files if there are any, and opens the project. */
export function NewProjectForm({ site, aside, children }: NewProjectFormProps) {
  const navigate = useNavigate()
  const create = useCreateProject()
  const platformDomain = useServer().data?.platformDomain ?? ''
  const [typedName, setTypedName] = useState<string | null>(null)
  const [editedSlug, setEditedSlug] = useState<string | null>(null)
  const name = typedName ?? projectNameFrom(site?.name ?? null)
  const slug = editedSlug ?? slugFrom(name)

  async function submit(): Promise<void> {
    const wanted = typedSlug(slug, platformDomain)
    setEditedSlug(wanted)
    const body = { slug: wanted, ...(name.trim() === '' ? {} : { name: name.trim() }) }
    const project = await create.mutateAsync(body).catch((error) => {
      throw asSlugError(error)
    })
    if (site !== null) startUpload(project, site, { goLive: true })
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
        onChange={({ currentTarget }) => setTypedName(currentTarget.value)}
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
        onChange={({ currentTarget }) => setEditedSlug(currentTarget.value)}
        onBlur={() =>
          editedSlug !== null &&
          setEditedSlug(editedSlug === '' ? null : typedSlug(editedSlug, platformDomain))
        }
      />
      {children}
    </Form>
  )
}

function AddressHint({ slug, platformDomain }: { slug: string; platformDomain: string }) {
  const wanted = typedSlug(slug, platformDomain)
  if (wanted === '') return 'Lowercase letters, digits and hyphens. You can change it later.'
  const error = slugError(wanted)
  if (error !== null) return `“${wanted}” ${error}.`
  return (
    <>
      Your site will be at{' '}
      <span className="font-mono break-all text-ink">
        {wanted}.{platformDomain}
      </span>
    </>
  )
}

/** Moves the error about a taken slug next to its field. */
function asSlugError(error: unknown): unknown {
  if (!isProblem(error, 'slug_taken')) return error
  const message = `${error.detail} ${error.fix}`
  return new ProblemError({ ...error.document, errors: [{ path: 'slug', message }] })
}
