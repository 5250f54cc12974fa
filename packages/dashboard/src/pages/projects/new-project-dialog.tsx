import { useEffect, useEffectEvent, useRef } from 'react'
import type { Source } from '../../publish/read-site.ts'
import { SiteSummary, SiteZone } from '../../publish/site-zone.tsx'
import { useSite } from '../../publish/use-site.ts'
import { CancelButton, Dialog } from '../../ui/dialog.tsx'
import { NewProjectForm } from '../new-project/new-project-form.tsx'

/** Creates a project from a dropped folder or archive. */
export function NewProjectDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const { state, limits, read } = useSite()
  const readIt = useEffectEvent(read)
  useEffect(() => {
    void readIt(source)
  }, [source])
  const content = useRef<HTMLDivElement>(null)
  const isRead = state.is === 'read'
  useEffect(() => {
    if (isRead) content.current?.querySelector('input')?.focus()
  }, [isRead])
  const cancel = <CancelButton onClick={onClose} />
  return (
    <Dialog title="New project" onClose={onClose}>
      <div ref={content}>
        {state.is === 'read' ? (
          <NewProjectForm site={state.site} aside={cancel}>
            <SiteSummary site={state.site} />
          </NewProjectForm>
        ) : (
          <SiteZone state={state} limits={limits} onSource={read} />
        )}
      </div>
    </Dialog>
  )
}
