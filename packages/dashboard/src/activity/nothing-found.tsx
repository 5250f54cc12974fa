import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'

/** Where a filter leaves nothing, it can be taken away. */
export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="Nothing of this kind has happened">
      <p>What is chosen above leaves nothing to show.</p>
      <Button className="mt-4 text-ink" onClick={onClear}>
        Show everything
      </Button>
    </Empty>
  )
}
