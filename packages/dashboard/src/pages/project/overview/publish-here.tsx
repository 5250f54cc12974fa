import type { Project } from '@masthead/contract/schemas/project.ts'
import { FromATerminal } from '../../../publish/from-a-terminal.tsx'
import { SiteZone } from '../../../publish/site-zone.tsx'
import type { useSite } from '../../../publish/use-site.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Section } from '../../../ui/section.tsx'

interface PublishHereProps {
  project: Project
  reading: ReturnType<typeof useSite>
}

/** The way to publish to a project that exists; under what says that nothing is live, it needs no title. */
export function PublishHere({ project, reading }: PublishHereProps) {
  const { state, limits, read } = reading
  const ways = (
    <>
      <SiteZone state={state} limits={limits} onSource={read} />
      <div className="mt-4">
        <Disclosure summary="From a terminal">
          <FromATerminal command={`deploy ./some-folder --project ${project.slug}`} />
        </Disclosure>
      </div>
    </>
  )
  if (project.activeDeployment === null) return <div className="mt-6">{ways}</div>
  return (
    <Section
      title="Publish a new version"
      lede="Publish it now, or look at a preview first. You can roll back at any time."
    >
      {ways}
    </Section>
  )
}
