import { plans } from '@masthead/contract/plans.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { Link } from 'react-router'
import { GuideLink } from '../../../../guide-link.tsx'
import { useHasScope, useSignedIn } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { buttonClass } from '../../../../ui/button.tsx'
import { Empty } from '../../../../ui/page.tsx'
import { planFigures, planWithDomains } from '../../../plan/plan-words.ts'

interface DomainsIntroProps {
  project: Project
  own: string
  /** Whether the plan includes custom domains. */
  included: boolean
  mayChange: boolean
}

export function DomainsIntro({ project, own, included, mayChange }: DomainsIntroProps) {
  return (
    <>
      This project is always available at{' '}
      <a href={project.url} target="_blank" rel="noopener noreferrer" className="link font-mono text-small">
        {own}
      </a>
      .{included && mayChange && " Add a custom domain and we'll handle its certificate."}
      {!mayChange && ' Only owners and developers can change its domains.'}
      <GuideLink to="domains" />
    </>
  )
}

const steps = [
  'Add a domain above, such as docs.acme.com.',
  'Set the DNS record we show you at your DNS provider.',
  'We detect the record, get a certificate and make a test visit. Then the domain is live, and its certificate renews automatically.',
]

export function NoDomains({ mayChange }: { mayChange: boolean }) {
  return (
    <Empty title="No custom domain yet">
      {mayChange ? (
        <ol className="mt-3 list-decimal space-y-1.5 pl-5 marker:text-soft">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      ) : (
        <p>Domains appear here with their status and certificate.</p>
      )}
    </Empty>
  )
}

/** Replaces the form on a plan without custom domains. */
export function Upsell({ suspended }: { suspended: boolean }) {
  const mayChoose = useHasScope('admin')
  const { account } = useSignedIn()
  const plan = planWithDomains()
  const { title } = plans[plan]
  const offered = planFigures(plan).filter(({ value }) => value !== 'No')
  return (
    <section className="mb-10 border-t border-ink pt-8">
      <h2 className="text-section">Custom domains come with {title}</h2>
      <p className="mt-1 max-w-[60ch] text-soft">
        {suspended
          ? 'The domains below are suspended and not served. Upgrading restores them automatically, with no new setup.'
          : 'You set one DNS record. We get the certificate, renew it, and tell you if anything goes wrong.'}
      </p>
      <dl className="mt-5 grid grid-cols-3 gap-x-4 sm:flex sm:gap-x-10">
        {offered.map(({ value, unit }) => (
          <div key={unit} className="flex flex-col-reverse">
            <dt className="text-small text-soft">{unit}</dt>
            <dd className="font-serif text-title tracking-[-0.015em]">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-5">
        {mayChoose ? (
          <Link to={paths.plan(account.id)} className={buttonClass('primary')}>
            Compare plans
          </Link>
        ) : (
          <p className="text-soft">Only an owner can change the plan.</p>
        )}
      </div>
    </section>
  )
}
