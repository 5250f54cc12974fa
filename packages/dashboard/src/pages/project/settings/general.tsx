import { useProject } from '../../../layout/project-frame.tsx'
import { useMay } from '../../../layout/signed-in.tsx'
import { Copyable } from '../../../ui/copyable.tsx'
import { Fact, Facts } from '../../../ui/facts.tsx'
import { Page } from '../../../ui/page.tsx'
import { Section } from '../../../ui/section.tsx'
import { Time } from '../../../ui/time.tsx'
import { GeneralForm } from './general/form.tsx'
import { NotYours } from './not-yours.tsx'

export function GeneralPage() {
  const project = useProject()
  const { id, name, slug, url, createdAt } = project
  const mayChange = useMay('deploy')
  return (
    <Page title="General" lede="What this project is called and where it is found.">
      {mayChange ? <GeneralForm project={project} /> : <NotYours who="An owner or a developer" />}
      <Section title={mayChange ? 'Address and id' : 'Name, address and id'}>
        <Facts>
          {!mayChange && (
            <>
              <Fact name="Name">{name}</Fact>
              <Fact name="Slug">
                <code className="font-mono text-small">{slug}</code>
              </Fact>
            </>
          )}
          <Fact name="Address">
            <Copyable text={url} href={url} what="the address" />
          </Fact>
          <Fact name="Project id">
            <Copyable text={id} what="the project id" />
            <p className="mt-1 text-small text-soft">Stays the same, whatever the slug.</p>
          </Fact>
          <Fact name="Created">
            <Time at={createdAt} />
          </Fact>
        </Facts>
      </Section>
    </Page>
  )
}
