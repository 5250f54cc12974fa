import { terminalCommand } from '../../terminal-command.ts'
import { Command } from '../../ui/command.tsx'

interface PublishAFolderProps {
  /** Whether it would be the first project of the account. */
  first: boolean
  allowed: boolean
}

/** The one thing to do first, and to do again. */
export function PublishAFolder({ first, allowed }: PublishAFolderProps) {
  if (!first && !allowed) return null
  return (
    <section className={first ? 'border-t border-ink pt-8' : 'mt-14'}>
      <h2 className="text-section">{first ? 'Nothing is published yet' : 'Publish a folder'}</h2>
      {allowed ? (
        <>
          <p className="mt-1 max-w-[60ch] text-soft">
            {first && 'Your projects will stand here, each with its address. '}
            Run this in a checkout of Masthead, with a folder of your own. It becomes a project with the
            folder’s name and is served within a second.
          </p>
          <div className="mt-4 max-w-[720px]">
            <Command line={terminalCommand('deploy ./some-folder', location.origin)} />
          </div>
          <p className="mt-3 text-small text-soft">
            The first time, it asks you here whether it may act for you.
          </p>
        </>
      ) : (
        <p className="mt-1 max-w-[60ch] text-soft">
          Projects will stand here, each with its address. An owner or a developer of this account publishes
          them; you can see them as a viewer.
        </p>
      )}
    </section>
  )
}
