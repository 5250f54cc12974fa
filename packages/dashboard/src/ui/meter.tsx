import { meterFill } from './meter-fill.ts'

const fills = { enough: 'bg-ink', nearly: 'bg-waiting', full: 'bg-stopped' } as const

/** How much of a limit is used; the words that say so stand beside it. */
export function Meter({ label, used, limit }: { label: string; used: number; limit: number }) {
  const { part, state } = meterFill(used, limit)
  return (
    <div className="h-1.5 overflow-hidden rounded-full bg-hairline">
      {/* Browsers draw a meter in colours of their own: it is there to be read, the bar to be seen. */}
      <meter aria-label={label} min={0} max={limit} value={used} className="sr-only">
        {used} of {limit}
      </meter>
      <div
        aria-hidden="true"
        className={`h-full transition-[width] duration-150 ${fills[state]}`}
        style={{ width: `${part * 100}%` }}
      />
    </div>
  )
}
