import { useMay } from '../../../layout/signed-in.tsx'
import { terminalCommand } from '../../../terminal-command.ts'
import { Command } from '../../../ui/command.tsx'
import { Empty } from '../../../ui/empty.tsx'

export function NoDeploymentsYet({ slug }: { slug: string }) {
  const allowed = useMay('deploy')
  if (!allowed) {
    return (
      <Empty title="Nothing is published yet">
        Every version of the site will stand here, the newest first. An owner or a developer of this account
        publishes them.
      </Empty>
    )
  }
  return (
    <Empty title="Nothing is published yet">
      <p>
        Every version of the site will stand here, the newest first, each with a preview of its own. Drop a
        folder onto the project’s overview, or run this in a checkout of Masthead:
      </p>
      <div className="mt-4 max-w-[720px] text-ink">
        <Command line={terminalCommand(`deploy ./some-folder --project ${slug}`, location.origin)} />
      </div>
    </Empty>
  )
}
