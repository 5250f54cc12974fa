import type { OperatorSite } from '@masthead/contract/schemas/operator.ts'
import { Confirm } from '../../../confirm.tsx'
import { useRestoreSite } from '../../../data/operator-sites.ts'
import { useToast } from '../../../ui/toasts.tsx'

export function RestoreSite({ site: { id, slug }, onClose }: { site: OperatorSite; onClose: () => void }) {
  const restore = useRestoreSite(id)
  const say = useToast()
  return (
    <Confirm
      title={`Restore ${slug}?`}
      action="Restore the site"
      acting="Restoring…"
      onClose={onClose}
      onConfirm={async () => {
        await restore.mutateAsync()
        onClose()
        say({ words: `${slug} is shown again.` })
      }}
    >
      <p>Visitors see the site again, as it was last published.</p>
    </Confirm>
  )
}
