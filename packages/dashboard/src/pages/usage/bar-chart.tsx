import { type PointerEvent, useState } from 'react'
import { barAt, barByKey, barScale } from './scales.ts'

export interface Bar {
  /** For example "18:47". */
  label: string
  value: number
  /** A second value, stacked on top. */
  above?: number
}

interface BarChartProps {
  /** For screen readers. */
  label: string
  bars: readonly Bar[]
  limit: number
  /** Singular and plural: ["request", "requests"]. */
  unit: readonly [one: string, many: string]
  /** The same for the stacked values. */
  aboveUnit: readonly [one: string, many: string]
  /** The heading of the label column in the table for screen readers. */
  labelsAre: string
  /** Shown if all bars are empty. */
  empty: string
}

/** Bars with a limit line. The highest or the selected bar is described in words. */
export function BarChart({ label, bars, limit, unit, aboveUnit, labelsAre, empty }: BarChartProps) {
  const [chosen, setChosen] = useState<number | null>(null)
  const { heights, above, limitAt, peak } = barScale(
    bars.map(({ value }) => value),
    limit,
    bars.map((bar) => bar.above ?? 0),
  )
  const last = bars.length - 1
  const active = Math.min(chosen ?? peak ?? last, last)
  const activeBar = bars[active]
  const words = activeBar === undefined ? '' : barWords(activeBar, unit, aboveUnit)

  function point({ clientX, currentTarget }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(barAt((clientX - left) / width, bars.length))
  }

  return (
    <figure className="relative">
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={active}
        aria-valuetext={words}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setChosen(null)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setChosen(active)}
        onBlur={() => setChosen(null)}
        onKeyDown={(event) => {
          const next = barByKey(event.key, active, bars.length)
          if (next === null) return
          event.preventDefault()
          setChosen(next)
        }}
        className="touch-pan-y focus-visible:outline-offset-6"
      >
        <p aria-hidden="true" className="flex h-6 items-end justify-end pb-0.5 text-small text-soft">
          {chosen === null && peak === null ? empty : chosen === null ? `Peak: ${words}` : words}
        </p>
        <div className="relative h-36 border-b border-edge">
          <Bars heights={heights} above={above} chosen={chosen} strong={chosen ?? peak} />
          <LimitLine at={limitAt} limit={limit} />
        </div>
      </div>
      <div aria-hidden="true" className="mt-1.5 flex justify-between text-small text-soft">
        <span>{bars[0]?.label}</span>
        <span>{bars[last]?.label}</span>
      </div>
      <FiguresTable label={label} bars={bars} unit={unit} aboveUnit={aboveUnit} labelsAre={labelsAre} />
    </figure>
  )
}

interface BarsProps {
  heights: readonly number[]
  above: readonly number[]
  /** Its whole column is tinted, so that an empty bar is visibly selected. */
  chosen: number | null
  strong: number | null
}

function Bars({ heights, above, chosen, strong }: BarsProps) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${heights.length} 1`}
      preserveAspectRatio="none"
      className="absolute inset-0 size-full"
    >
      {chosen !== null && <rect x={chosen} width={1} y={0} height={1} className="fill-hairline" />}
      {heights.map((height, index) => (
        <rect
          key={`bar-${index + 1}`}
          x={index + 0.12}
          width={0.76}
          y={1 - height}
          height={height}
          className={
            index === strong
              ? 'fill-ink forced-colors:fill-[Highlight]'
              : 'fill-soft/70 forced-colors:fill-[CanvasText]'
          }
        />
      ))}
      {above.map(
        (height, index) =>
          height > 0 && (
            <rect
              key={`above-${index + 1}`}
              x={index + 0.12}
              width={0.76}
              y={1 - (heights[index] ?? 0) - height}
              height={height}
              className="fill-stopped"
            />
          ),
      )}
    </svg>
  )
}

function LimitLine({ at, limit }: { at: number; limit: number }) {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute inset-x-0 border-t border-dashed border-stopped"
      style={{ bottom: `${at * 100}%` }}
    >
      <span className="absolute bottom-0.5 left-0 bg-paper/85 pr-1.5 text-small text-soft">
        limit {limit.toLocaleString('en')}
      </span>
    </div>
  )
}

function FiguresTable({ label, bars, unit, aboveUnit, labelsAre }: Omit<BarChartProps, 'limit' | 'empty'>) {
  return (
    // A table ignores a smaller height, so the box around it is hidden instead.
    <div className="sr-only">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{labelsAre}</th>
            <th scope="col">{unit[1]}</th>
            <th scope="col">{aboveUnit[1]}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label, value, above = 0 }, index) => (
            <tr key={`bar-${index + 1}`}>
              <th scope="row">{label}</th>
              <td>{value.toLocaleString('en')}</td>
              <td>{above.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function barWords(
  { label, value, above = 0 }: Bar,
  unit: BarChartProps['unit'],
  aboveUnit: BarChartProps['aboveUnit'],
): string {
  const words = `${label}, ${amount(value, unit)}`
  return above === 0 ? words : `${words}, ${amount(above, aboveUnit)}`
}

function amount(value: number, [one, many]: readonly [string, string]): string {
  return value === 1 ? `1 ${one}` : `${value.toLocaleString('en')} ${many}`
}
