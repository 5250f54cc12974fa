import { findingsBeside } from '@masthead/contract/certificate-trouble.ts'
import { guidesFor } from '@masthead/contract/dns-providers.ts'
import type { Domain, Finding } from '@masthead/contract/schemas/domain.ts'
import { clockTime } from '../../../../ui/clock-time.ts'
import { Notice } from '../../../../ui/notice.tsx'
import { exactTime } from '../../../../ui/relative-time.ts'
import { byWeight } from './finding-order.ts'
import { RecordToAdd } from './record-to-add.tsx'

/** What the last look found, the most stopping first, each with what to do about it. */
export function Findings({ domain }: { domain: Domain }) {
  const { lastCheck, state } = domain
  const findings = byWeight(findingsBeside(domain))
  if (lastCheck === null || findings.length === 0) return null
  const heavy = findings.filter(({ effect }) => effect !== 'tells')
  const light = findings.filter(({ effect }) => effect === 'tells')
  const guides = guidesFor(lastCheck.provider === 'the lab' ? null : lastCheck.provider)
  return (
    <>
      {heavy.map((finding, index) => (
        <Notice
          key={finding.code}
          tone={state === 'failed' && finding.effect === 'stops' ? 'stopped' : 'waiting'}
          title={finding.message}
        >
          {finding.fix} <Until finding={finding} />
          {index === 0 &&
            guides.map(({ name, guide }) => (
              <span key={name} className="mt-1.5 block text-small">
                In {name}: {guide}
              </span>
            ))}
        </Notice>
      ))}
      {light.map((finding) => (
        <div key={finding.code} className="border-l-3 border-hairline px-4 text-small text-soft">
          <strong className="font-medium text-ink">{finding.message}</strong> {finding.fix}{' '}
          <Until finding={finding} />
          {finding.records?.map((record) => (
            <RecordToAdd key={record.value} record={record} />
          ))}
        </div>
      ))}
    </>
  )
}

function Until({ finding: { until } }: { finding: Finding }) {
  if (until === undefined) return null
  const at = Date.parse(until)
  if (at <= Date.now()) return null
  return (
    <>
      At the latest until{' '}
      <time dateTime={until} title={exactTime(at)}>
        {clockTime(at, Date.now())}
      </time>
      .
    </>
  )
}
