import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { Section } from '../../ui/page.tsx'
import { BarChart } from './bar-chart.tsx'
import { dayLabel, minuteLabel } from './scales.ts'

type Counts = Usage['history']['days']

const unit = ['request', 'requests'] as const
const rejectedUnit = ['rejected', 'rejected'] as const

export function History({ usage: { minute, day, history } }: { usage: Usage }) {
  return (
    <>
      <Section title="Last two hours">
        <BarChart
          label="Requests per minute"
          labelsAre="Minute"
          bars={bars(history.minutes, minuteLabel)}
          limit={minute.limit}
          unit={unit}
          aboveUnit={rejectedUnit}
          empty="No requests in the last two hours."
        />
      </Section>
      <Section title="Last thirty days">
        <BarChart
          label="Requests per day"
          labelsAre="Day, in UTC"
          bars={bars(history.days, dayLabel)}
          limit={day.limit}
          unit={unit}
          aboveUnit={rejectedUnit}
          empty="No requests in the last thirty days."
        />
      </Section>
    </>
  )
}

function bars(counts: Counts, label: (start: number) => string) {
  return counts.map(({ start, requests, rejected }) => ({
    label: label(Date.parse(start)),
    value: requests,
    above: rejected,
  }))
}
