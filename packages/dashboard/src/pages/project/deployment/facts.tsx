import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { Copyable } from '../../../ui/copyable.tsx'
import { Fact, Facts } from '../../../ui/facts.tsx'
import { fileSize } from '../../../ui/file-size.ts'
import { Time } from '../../../ui/time.tsx'
import { fileCount } from '../deployments/file-count.ts'

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { id, state, active, url, files, bytes, createdBy, createdAt, readyAt, activatedAt } = deployment
  return (
    <Facts>
      <Fact name="Id">
        <Copyable text={id} what="the id" />
      </Fact>
      <Fact name="Preview">
        {state === 'ready' ? (
          <Copyable text={url} href={url} what="the preview address" />
        ) : (
          <span className="text-soft">At an address of its own, once every file is here</span>
        )}
      </Fact>
      <Fact name="Holds">
        {fileCount(files)}, {fileSize(bytes)}
      </Fact>
      <Fact name="Made">
        <Time at={createdAt} /> by {createdBy}
      </Fact>
      <Fact name="Ready">{readyAt === null ? <NotYet /> : <Time at={readyAt} />}</Fact>
      <Fact name={active ? 'Live since' : 'Last went live'}>
        {activatedAt === null ? <NotYet /> : <Time at={activatedAt} />}
      </Fact>
    </Facts>
  )
}

function NotYet() {
  return <span className="text-soft">Not yet</span>
}
