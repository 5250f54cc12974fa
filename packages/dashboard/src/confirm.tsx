import { type ReactNode, useState } from 'react'
import { ProblemNotice } from './problem-notice.tsx'
import { Button } from './ui/button.tsx'
import { CancelButton, Dialog, DialogActions, HoldDialog } from './ui/dialog.tsx'

interface ConfirmProps {
  title: string
  children: ReactNode
  action: string
  /** The button's label while it is busy. */
  acting: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something irreversible. An error is shown inside the dialog. */
export function Confirm({ title, children, action, acting, onConfirm, onClose }: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function confirm() {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <HoldDialog while={busy} />
      <div className="text-soft">{children}</div>
      {error !== null && (
        <div className="mt-4">
          <ProblemNotice error={error} />
        </div>
      )}
      <DialogActions>
        <CancelButton onClick={onClose} />
        <Button look="primary" pending={busy && acting} onClick={confirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
