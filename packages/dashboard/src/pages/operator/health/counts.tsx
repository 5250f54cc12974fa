import type { Health } from '@masthead/contract/schemas/operator.ts'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../../../paths.ts'
import { domainTotal, domainWords } from './words.ts'

/** How much there is of everything, as figures under a strong rule. */
export function Counts({ counts }: { counts: NonNullable<Health['counts']> }) {
  const { accounts, projects, deployments, domains, certificates, certificatesExpiringSoon } = counts
  return (
    <>
      <h2 className="sr-only">How much there is</h2>
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
              {certificatesExpiringSoon === 1 ? 'ends' : 'end'} within three days
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
