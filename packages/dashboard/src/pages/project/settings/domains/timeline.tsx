import type { TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useTimeline } from '../../../../data/domains.ts'
import { Loaded, ShowMore } from '../../../../loaded.tsx'
import { Disclosure } from '../../../../ui/page.tsx'
import { Nameservers } from './dns-records.tsx'
import { Phrases } from './progress.tsx'
import { sortFindings } from './state/check-words.ts'
import { timelineDetail, timelineHash, timelineTone, timelineWhen } from './state/timeline-words.ts'

export function Timeline({ slug, hostname }: { slug: string; hostname: string }) {
  const list = useTimeline(slug, hostname)
  const { hash } = useLocation()
  const top = useRef<HTMLDivElement>(null)
  const isLoaded = list.data !== undefined
  useEffect(() => {
    if (isLoaded && hash === timelineHash) top.current?.scrollIntoView()
  }, [isLoaded, hash])
  return (
    <div ref={top} className="scroll-mt-16">
      <Loaded query={list}>
        {(entries) => (
          <>
            {entries.length === 0 && <p className="text-soft">Nothing happened in the last 90 days.</p>}
            <ol
              aria-label="Timeline"
              className="divide-y divide-hairline not-empty:border-t not-empty:border-ink"
            >
              {entries.map((entry) => (
                <Entry key={`${entry.kind} ${entry.at}`} entry={entry} />
              ))}
            </ol>
            <ShowMore list={list} />
          </>
        )}
      </Loaded>
    </div>
  )
}

const dots = {
  live: 'bg-live forced-colors:highlighted',
  waiting: 'bg-waiting forced-colors:highlighted',
  stopped: 'bg-stopped forced-colors:highlighted',
  idle: 'border border-soft',
} as const

function Entry({ entry }: { entry: TimelineEntry }) {
  const detail = timelineDetail(entry)
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3.5 py-3.5">
      <span aria-hidden="true" className={`mt-1.75 size-1.75 rounded-full ${dots[timelineTone(entry)]}`} />
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5">
          <p className="min-w-0 wrap-anywhere">
            <span className="font-medium">{entry.message}.</span>
            {detail !== null && <> {detail}</>}
          </p>
          <p className="min-w-0 text-small text-soft wrap-anywhere">
            <Phrases of={timelineWhen(entry)} />
          </p>
        </div>
        {entry.check !== null && (
          <div className="mt-1.5">
            <Disclosure summary="What was found">
              <ul className="mb-4 flex flex-col gap-1.5">
                {sortFindings(entry.check.findings).map(({ code, message, fix }) => (
                  <li key={code}>
                    <span className="font-medium">{message}</span> <span className="text-soft">{fix}</span>
                  </li>
                ))}
              </ul>
              <Nameservers check={entry.check} />
            </Disclosure>
          </div>
        )}
      </div>
    </li>
  )
}
