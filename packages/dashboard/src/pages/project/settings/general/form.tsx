import type { Project } from '@masthead/contract/schemas/project.ts'
import { slugFault, slugMaxLength } from '@masthead/contract/slug.ts'
import { useNavigate } from 'react-router'
import { useChangeProject } from '../../../../data/project-change.ts'
import { Form } from '../../../../form/form.tsx'
import { paths } from '../../../../paths.ts'
import { Field } from '../../../../ui/field.tsx'
import { useToast } from '../../../../ui/toasts.tsx'
import { Saved } from '../saved.tsx'
import { useDraft } from '../use-draft.ts'
import { AddressChange } from './address-change.tsx'
import { addressWith } from './address-with.ts'
import { typedSlug } from './typed-slug.ts'

export function GeneralForm({ project }: { project: Project }) {
  const change = useChangeProject(project)
  const navigate = useNavigate()
  const say = useToast()
  const { values, changes, changed, saved, set, taken } = useDraft({ name: project.name, slug: project.slug })
  const slug = typedSlug(values.slug)
  const moves = slug !== project.slug && slugFault(slug) === null

  async function save() {
    if (!changed) return
    const wanted = { ...changes, ...(changes.slug === undefined ? {} : { slug }) }
    const { slug: now, url } = await change.mutateAsync(wanted)
    taken()
    if (now === project.slug) return
    // The page has the slug in its address.
    navigate(paths.settings(now), { replace: true })
    say({ words: `The site is at ${addressWith(url, now)} now.` })
  }

  return (
    <Form
      onSubmit={save}
      submit={moves ? 'Save and move the site' : 'Save'}
      submitting="Saving…"
      look={changed ? 'primary' : 'plain'}
      aside={<Saved shown={saved && !changed} />}
    >
      <Field
        name="name"
        label="Name"
        required
        maxLength={80}
        autoComplete="off"
        value={values.name}
        onChange={({ target }) => set({ name: target.value })}
        hint="What people of this account see. It changes nothing for visitors."
      />
      <Field
        name="slug"
        label="Slug"
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={values.slug}
        onChange={({ target }) => set({ slug: target.value })}
        hint={`The first part of the address. Lower-case letters, digits and hyphens, ${slugMaxLength} at most.`}
      />
      {moves && <AddressChange project={project} slug={slug} />}
    </Form>
  )
}
