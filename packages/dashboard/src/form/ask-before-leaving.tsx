import { type ReactNode, useState } from 'react'
import { useBlocker } from 'react-router'
import { DiscardDialog } from './discard-dialog.tsx'
import { UnsavedChanges, UnsavedContext } from './unsaved-changes.ts'

/** Around pages whose forms are not left with changes unless somebody says so. */
export function AskBeforeLeaving({ children }: { children: ReactNode }) {
  const [unsaved] = useState(() => new UnsavedChanges())
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved.any && currentLocation.pathname !== nextLocation.pathname,
  )
  return (
    <UnsavedContext value={unsaved}>
      {children}
      {blocker.state === 'blocked' && (
        <DiscardDialog onKeep={() => blocker.reset()} onDiscard={() => blocker.proceed()} />
      )}
    </UnsavedContext>
  )
}
