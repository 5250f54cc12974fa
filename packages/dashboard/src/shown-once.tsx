import { type ReactNode, useState } from 'react'
import { Button } from './ui/button.tsx'
import { Copy } from './ui/copy.tsx'
import { Dialog, DialogActions } from './ui/dialog.tsx'

interface ShownOnceProps {
  title: string
  lede: ReactNode
  secret: string
  /** What it is, as in "Copy the key". */
  what: string
  children?: ReactNode
  onDone: () => void
}

/** Shows what is never shown again. It closes by its button; by a slip elsewhere only the second time. */
export function ShownOnce({ title, lede, secret, what, children, onDone }: ShownOnceProps) {
  const [warned, setWarned] = useState(false)
  return (
    <Dialog title={title} onClose={() => (warned ? onDone() : setWarned(true))}>
      <p className="text-soft">{lede}</p>
      <div className="mt-4 flex items-center gap-3 rounded-sheet border border-edge bg-wash py-2.5 pr-2.5 pl-4">
        <code className="min-w-0 flex-1 font-mono text-small break-all select-all">{secret}</code>
        <Copy text={secret} what={what} />
      </div>
      {children}
      <DialogActions>
        <p role="status" className="mr-auto self-center text-small text-waiting">
          {warned && 'It is not shown again. Close once more if you have it.'}
        </p>
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
