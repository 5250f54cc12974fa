import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { paths } from '../../paths.ts'
import { Countdown } from '../../ui/time.tsx'
import { meterFill } from './scales.ts'

export function Figures({ usage: { minute, day, storage } }: { usage: Usage }) {
  const { account } = useSignedIn()
  const tight = [minute, day].some(({ used, limit }) => meterFill(used, limit).state !== 'enough')
  return (
    <>
      <div className="grid divide-y divide-hairline border-t border-ink sm:grid-cols-2 sm:divide-x sm:divide-y-0">
        <Figure title="This minute" quota={minute}>
          {minute.used === 0 ? (
            'starts with the next request'
          ) : (
            <Countdown to={minute.resetAt} before="starts again in " over="starts again now" />
          )}
        </Figure>
        <Figure title="Today" quota={day}>
          <Countdown to={day.resetAt} before="starts again at 00:00 UTC, in " over="starts again now" />
        </Figure>
      </div>
      <div className="border-t border-hairline">
        <Figure title="Storage" quota={storage} written={formatBytes}>
          {storage.used >= storage.limit
            ? 'Delete deployments or projects you no longer need, or change the plan.'
            : 'Identical files count once. Deleting old deployments frees space.'}
        </Figure>
      </div>
      {tight && (
        <p className="mt-2 text-small text-soft">
          Requests over a limit get a 429 response with the time to wait.{' '}
          <Link to={paths.plan(account.id)} className="link">
            Compare plans
          </Link>
        </p>
      )}
    </>
  )
}

const words = { enough: '', nearly: 'nearly used up · ', full: 'used up · ' } as const
const tones = { enough: '', nearly: 'text-waiting', full: 'text-stopped' } as const

interface FigureProps {
  title: string
  quota: Pick<Usage['minute'], 'used' | 'limit'>
  written?: (figure: number) => string
  children: ReactNode
}

const inDigits = (figure: number) => figure.toLocaleString('en')

function Figure({ title, quota: { used, limit }, written = inDigits, children }: FigureProps) {
  const { state } = meterFill(used, limit)
  return (
    <section className="py-6 sm:not-only:first:pr-6 sm:not-only:last:pl-6">
      <h2 className="font-sans text-small font-normal tracking-normal text-soft">{title}</h2>
      <p className="flex flex-wrap items-baseline gap-x-2 font-serif tracking-[-0.015em]">
        <span className="text-[42px]/[50px] font-medium">{written(used)}</span>
        <span className="text-section text-soft">of {written(limit)}</span>
      </p>
      <div className="mt-2.5">
        <Meter label={title} used={used} limit={limit} />
      </div>
      <p className="mt-3 text-small text-soft">
        <span className={`font-medium ${tones[state]}`}>{words[state]}</span>
        {children}
      </p>
    </section>
  )
}

const fills = { enough: 'bg-ink', nearly: 'bg-waiting', full: 'bg-stopped' } as const

function Meter({ label, used, limit }: { label: string; used: number; limit: number }) {
  const { part, state } = meterFill(used, limit)
  return (
    <div className="h-1.5 overflow-hidden rounded-full bg-hairline forced-colors:border">
      {/* Browsers style meters differently, so this one is for screen readers and the bar is what people see. */}
      <meter aria-label={label} min={0} max={limit} value={used} className="sr-only">
        {used} of {limit}
      </meter>
      <div
        aria-hidden="true"
        className={`h-full transition-[width] duration-150 forced-colors:highlighted ${fills[state]}`}
        style={{ width: `${part * 100}%` }}
      />
    </div>
  )
}
