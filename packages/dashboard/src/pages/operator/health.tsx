import { useHealth } from '../../data/operator.ts'
import { Loaded } from '../../loaded.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { Checks } from './health/checks.tsx'
import { Counts } from './health/counts.tsx'
import { databaseTitles, verdict } from './health/words.ts'

export function OperatorHealthPage() {
  const health = useHealth()
  return (
    <Page title="Health" lede={health.data && verdict(health.data.checks)}>
      <Loaded query={health}>
        {({ counts, checks, version, startedAt, dialect }) => (
          <>
            {counts === null ? (
              <Notice tone="stopped" title="How much there is of everything is not known.">
                The figures come back with the database.
              </Notice>
            ) : (
              <Counts counts={counts} />
            )}
            <div className="mt-10">
              <Section title="Checks">
                <Checks checks={checks} />
              </Section>
            </div>
            <Section title="This server">
              <Facts>
                <Fact name="Version">{version}</Fact>
                <Fact name="Started">
                  <Time at={startedAt} />
                </Fact>
                <Fact name="Database">{databaseTitles[dialect]}</Fact>
              </Facts>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}
