import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { useServer } from '../../api/session.ts'
import type { Source } from '../../publish/read-site.ts'
import { SiteZone, TerminalInstructions } from '../../publish/site-zone.tsx'
import { Empty, Section } from '../../ui/page.tsx'

interface PublishAFolderProps {
  /** Whether the account has no projects yet. */
  first: boolean
  allowed: boolean
  onSource: (source: Source) => void
}

export function PublishAFolder({ first, allowed, onSource }: PublishAFolderProps) {
  const limits = useServer().data?.uploadLimits ?? defaultUploadLimits
  if (!allowed) return first && <NothingToSee />
  const zone = <SiteZone state={{ is: 'none' }} limits={limits} onSource={onSource} />
  if (!first) return <Section title="Publish a folder">{zone}</Section>
  return (
    <>
      <Empty title="Nothing published yet">
        <p>
          Drop a folder anywhere on this page. It becomes a project with the folder's name and is live within
          a second.
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
    <Empty title="Nothing published yet">
      <p>Projects appear here once an owner or developer of this account publishes them.</p>
    </Empty>
  )
}
