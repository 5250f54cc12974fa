import type { DoctorReport, DoctorResult, Health, HealthCheck } from '@masthead/contract/schemas/operator.ts'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useHealth } from '../../data/operator.ts'
import { GuideLink } from '../../guide-link.tsx'
import { Loaded } from '../../loaded.tsx'
import { paths } from '../../paths.ts'
import { Notice } from '../../ui/notices.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Fact, Facts, RuledList } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import {
  checkTitles,
  databaseTitles,
  doctorStatuses,
  domainTotal,
  domainWords,
  verdict,
  worstFirst,
} from './health-words.ts'

export function OperatorHealthPage() {
  const health = useHealth()
  return (
    <Page
      title="Health"
      intro={
        <>
          {health.data && verdict(health.data)}
          <GuideLink to="health" />
        </>
      }
    >
      <Loaded query={health}>
        {({ counts, checks, doctor, version, startedAt, dialect }) => (
          <>
            {counts === null ? (
              <Notice tone="stopped" title="The totals are unavailable.">
                They return once the database is reachable.
              </Notice>
            ) : (
              <Counts counts={counts} />
            )}
            <div className="mt-10">
              <Section title="Checks">
                <Checks checks={checks} />
              </Section>
            </div>
            <Section title="Installation">
              <Doctor report={doctor} />
            </Section>
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

/** Failing checks come first. */
function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  const worstFirst = [...checks].sort((a, b) => Number(a.ok) - Number(b.ok))
  return (
    <RuledList label="Checks">
      {worstFirst.map(({ name, ok, message }) => (
        <li
          key={name}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 py-3.5 sm:grid-cols-[180px_minmax(0,1fr)_auto]"
        >
          <h3 className="font-medium">{checkTitles[name]}</h3>
          <p className="col-span-2 row-start-2 min-w-0 text-soft wrap-anywhere sm:col-span-1 sm:row-auto">
            {message}
          </p>
          <Status tone={ok ? 'live' : 'stopped'}>{ok ? 'Healthy' : 'Needs attention'}</Status>
        </li>
      ))}
    </RuledList>
  )
}

/** What `masthead-server doctor` prints. */
function Doctor({ report }: { report: DoctorReport | null }) {
  if (report === null) return <p className="text-soft">The first check takes a few seconds.</p>
  return (
    <>
      <RuledList label="Installation">
        {worstFirst(report.checks).map((result) => (
          <DoctorRow key={result.id} {...result} />
        ))}
      </RuledList>
      <p className="mt-3 text-small text-soft">
        Checked <Time at={report.checkedAt} />, from the server that answered.
      </p>
    </>
  )
}

function DoctorRow({ title, status, findings }: DoctorResult) {
  const { tone, word } = doctorStatuses[status]
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-6 gap-y-1 py-3.5 sm:grid-cols-[180px_minmax(0,1fr)_auto]">
      <h3 className="font-medium">{title}</h3>
      <div className="col-span-2 row-start-2 min-w-0 wrap-anywhere sm:col-span-1 sm:row-auto">
        {findings.map(({ message, fix }) => (
          <p key={message} className="text-soft">
            {message}
            {fix !== null && <span className="block text-ink">{fix}</span>}
          </p>
        ))}
      </div>
      <Status tone={tone}>{word}</Status>
    </li>
  )
}

function Counts({ counts }: { counts: NonNullable<Health['counts']> }) {
  const { accounts, projects, deployments, domains, certificates, certificatesExpiringSoon } = counts
  return (
    <>
      <h2 className="sr-only">Totals</h2>
      <dl className="grid grid-cols-2 gap-x-6 border-y border-t-ink border-b-hairline py-3 sm:grid-cols-3">
        <Figure title={<Counted to={paths.operatorAccounts()}>Accounts</Counted>} value={accounts} />
        <Figure title="Projects" value={projects} />
        <Figure title="Deployments" value={deployments} />
        <Figure
          title={<Counted to={paths.operatorCertificates()}>Certificates</Counted>}
          value={certificates}
        >
          {certificatesExpiringSoon > 0 && (
            <span className="text-waiting">
              {certificatesExpiringSoon.toLocaleString('en')}{' '}
              {certificatesExpiringSoon === 1 ? 'expires' : 'expire'} within three days
            </span>
          )}
        </Figure>
        <Figure wide title="Domains" value={domainTotal(domains)}>
          {domainWords(domains)}
        </Figure>
      </dl>
    </>
  )
}

function Counted({ to, children }: { to: string; children: string }) {
  return (
    <Link to={to} className="link">
      {children}
    </Link>
  )
}

interface FigureProps {
  title: ReactNode
  value: number
  wide?: boolean
  children?: ReactNode
}

function Figure({ title, value, wide = false, children }: FigureProps) {
  return (
    <div className={`py-3 ${wide ? 'col-span-2' : ''}`}>
      <dt className="text-small text-soft">{title}</dt>
      <dd>
        <span className="font-serif text-[42px]/[50px] font-medium tracking-[-0.015em]">
          {value.toLocaleString('en')}
        </span>
        <span className="block text-small text-soft">{children}</span>
      </dd>
    </div>
  )
}
