import { Empty } from '../../../ui/empty.tsx'

export function NothingLive({ allowed }: { allowed: boolean }) {
  return (
    <Empty title="Nothing is published yet">
      <p>
        {allowed
          ? 'What visitors see will stand here. Drop a folder anywhere on this page and it is served within a second.'
          : 'What visitors see will stand here, once an owner or a developer of this account publishes it.'}
      </p>
    </Empty>
  )
}
