import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { useSetInLab } from '../../../../data/lab.ts'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useMay } from '../../../../layout/signed-in.tsx'
import { ProblemNotice } from '../../../../problem-notice.tsx'
import { useServer } from '../../../../server.ts'
import { Button } from '../../../../ui/button.tsx'

/** On a laptop the DNS is ours too: one button sets what is asked for. */
export function LabRecord({ domain }: { domain: Domain }) {
  const { slug } = useProject()
  const mayChange = useMay('domains')
  const { data: server } = useServer()
  const set = useSetInLab(slug)
  // Names under it are this machine's own, in every browser; all others belong to the world's DNS.
  if (!server?.lab || !mayChange || !domain.hostname.endsWith('.localhost')) return null
  const what = domain.records.length === 1 ? 'the record' : 'the records'
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-sheet bg-wash px-4 py-3">
      <p className="max-w-[52ch] text-small text-soft">
        This server is a lab: it has a DNS of its own for names under{' '}
        <code className="font-mono">.localhost</code>. Nothing outside this machine is touched.
      </p>
      <Button pending={set.isPending && 'Setting it…'} onClick={() => set.mutate(domain)}>
        Set {what} in the local DNS
      </Button>
      {set.error !== null && <ProblemNotice error={set.error} />}
    </div>
  )
}
