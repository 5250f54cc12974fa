import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { useServer } from '../../api/session.ts'
import type { Source } from '../../publish/read-site.ts'
import { SiteZone, TerminalInstructions } from '../../publish/site-zone.tsx'
import { Empty, Section } from '../../ui/page.tsx'

interface PublishAFolderProps {
  /** Whether it would be the first project of the account. */
  first: boolean
  allowed: boolean
  onSource: (source: Source) => void
}

/** The one thing to do first, and to do again. */
export function PublishAFolder({ first, allowed, onSource }: PublishAFolderProps) {
  const limits = useServer().data?.uploadLimits ?? defaultUploadLimits
  if (!allowed) return first && <NothingToSee />
  const zone = <SiteZone state={{ is: 'none' }} limits={limits} onSource={onSource} />
  if (!first) return <Section title="Publish a folder">{zone}</Section>
  return (
    <>
      <Empty title="Nothing is published yet">
        <p>
          Your projects will stand here, each with its address. Drop a folder anywhere on this page: it
          becomes a project with the folder’s name and is served within a second.
        </p>
      </Empty>
      <div className="mt-6">{zone}</div>
      <Section title="From a terminal">
        <TerminalInstructions command="deploy ./some-folder" />
      </Section>
    </>
  )
}

function NothingToSee() {
  return (
    <Empty title="Nothing is published yet">
      <p>
        Projects will stand here, each with its address. An owner or a developer of this account publishes
        them; you can see them as a viewer.
      </p>
    </Empty>
  )
}
