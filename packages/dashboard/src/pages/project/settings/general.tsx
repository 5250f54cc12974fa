import { metaMaxLength } from '@masthead/contract/deployments.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { slugError, slugMaxLength } from '@masthead/contract/slugs.ts'
import { useNavigate } from 'react-router'
import { useChangeProject } from '../../../data/projects.ts'
import { useProject } from '../../../layout/project-frame.tsx'
import { useHasScope } from '../../../layout/signed-in.tsx'
import { paths } from '../../../paths.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { Field } from '../../../ui/field.tsx'
import { Notice, useToast } from '../../../ui/notices.tsx'
import { Page, Section } from '../../../ui/page.tsx'
import { Fact, Facts } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { addressWith, typedSlug } from './form-values.ts'
import { DraftForm, ReadOnlyNotice, useDraft } from './settings-form.tsx'

export function GeneralPage() {
  const project = useProject()
  const { id, name, slug, url, productionBranch, createdAt } = project
  const mayChange = useHasScope('deploy')
  return (
    <Page title="General" intro="The name and address of this project.">
      {mayChange ? <GeneralForm project={project} /> : <ReadOnlyNotice who="owners and developers" />}
      <Section title={mayChange ? 'Address and ID' : 'Name, address and ID'}>
        <Facts>
          {!mayChange && (
            <>
              <Fact name="Name">
                <bdi>{name}</bdi>
              </Fact>
              <Fact name="Slug">
                <code className="font-mono text-small">{slug}</code>
              </Fact>
              <Fact name="Production branch">{productionBranch}</Fact>
            </>
          )}
          <Fact name="Address">
            <Copyable text={url} href={url} what="the address" />
          </Fact>
          <Fact name="Project ID">
            <Copyable text={id} what="the project ID" />
            <p className="mt-1 text-small text-soft">Never changes, even if the slug does.</p>
          </Fact>
          <Fact name="Created">
            <Time at={createdAt} />
          </Fact>
        </Facts>
      </Section>
    </Page>
  )
}

function GeneralForm({ project }: { project: Project }) {
  const change = useChangeProject(project)
  const navigate = useNavigate()
  const say = useToast()
  const { values, changes, changed, saved, set, taken } = useDraft({
    name: project.name,
    slug: project.slug,
    productionBranch: project.productionBranch,
  })
  const slug = typedSlug(values.slug)
  const moves = slug !== project.slug && slugError(slug) === null

  async function save() {
    if (!changed) return
    const wanted = { ...changes, ...(changes.slug === undefined ? {} : { slug }) }
    const { slug: now, url } = await change.mutateAsync(wanted)
    taken()
    if (now === project.slug) return
    // The slug is part of this page's URL.
    navigate(paths.settings(now), { replace: true })
    say({ words: `The site is now at ${addressWith(url, now)}.` })
  }

  return (
    <DraftForm draft={{ changed, saved }} onSubmit={save} submit={moves ? 'Save and move site' : 'Save'}>
      <Field
        name="name"
        label="Name"
        required
        maxLength={80}
        autoComplete="off"
        value={values.name}
        onChange={({ target }) => set({ name: target.value })}
        hint="Shown to members of this account. Visitors don't see it."
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
        hint={`The first part of the address. Lowercase letters, digits and hyphens, at most ${slugMaxLength}.`}
      />
      <Field
        name="productionBranch"
        label="Production branch"
        required
        maxLength={metaMaxLength.branch}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={values.productionBranch}
        onChange={({ target }) => set({ productionBranch: target.value })}
        hint="Deployments of this branch, and those without a branch, go live. Other branches are previews."
      />
      {moves && <AddressChange project={project} slug={slug} />}
    </DraftForm>
  )
}

/** The consequences of a new slug, before it is saved. */
function AddressChange({ project, slug }: { project: Project; slug: string }) {
  const name = 'font-mono text-small wrap-anywhere'
  return (
    <Notice
      tone="waiting"
      title={
        <>
          The site moves to <span className={name}>{addressWith(project.url, slug)}</span>.
        </>
      }
    >
      <span className={name}>{addressWith(project.url, project.slug)}</span> stops working immediately. It
      does not redirect, and anyone can claim it. Previews move too; custom domains are not affected. If a
      masthead.json names <span className={name}>{project.slug}</span>, update it, or the next{' '}
      <span className={name}>masthead deploy</span> creates a new project.
    </Notice>
  )
}
