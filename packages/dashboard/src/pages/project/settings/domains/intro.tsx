import { plans } from '@masthead/contract/plans.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { Link } from 'react-router'
import { useHasScope, useSignedIn } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { buttonClass } from '../../../../ui/button.tsx'
import { Empty } from '../../../../ui/page.tsx'
import { planFigures, planWithDomains } from '../../../plan/plan-words.ts'

interface DomainsIntroProps {
  project: Project
  own: string
  /** Whether the plan has domains of one's own. */
  included: boolean
  mayChange: boolean
}

export function DomainsIntro({ project, own, included, mayChange }: DomainsIntroProps) {
  return (
    <>
      This project is always at{' '}
      <a href={project.url} target="_blank" rel="noopener noreferrer" className="link font-mono text-small">
        {own}
      </a>
      .{included && mayChange && ' Add a domain of your own and we look after its certificate.'}
      {!mayChange && ' You see its domains as a viewer; an owner or a developer adds and changes them.'}
    </>
  )
}

const steps = [
  'Add a name above, such as docs.acme.com.',
  'Set the one DNS record that is shown for it, wherever your DNS is run.',
  'We see the record, obtain the certificate and make a test visit. Then it is live, and stays so by itself.',
]

/** Teaches how a domain comes to be live. */
export function NoDomains({ mayChange }: { mayChange: boolean }) {
  return (
    <Empty title="No domain of its own yet">
      {mayChange ? (
        <ol className="mt-3 list-decimal space-y-1.5 pl-5 marker:text-soft">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      ) : (
        <p>Domains will stand here, each with its state and its certificate.</p>
      )}
    </Empty>
  )
}

/** Stands where domains would be added, on a plan without them: what the next plan gives, and the way to it. */
export function Upsell({ suspended }: { suspended: boolean }) {
  const mayChoose = useHasScope('admin')
  const { account } = useSignedIn()
  const plan = planWithDomains()
  const { title } = plans[plan]
  return (
    <section className="mb-10 border-t border-ink pt-8">
      <h2 className="text-section">Domains of your own come with {title}</h2>
      <p className="mt-1 max-w-[60ch] text-soft">
        {suspended
          ? 'Those below are suspended and not served. With the upgrade they resume by themselves; nothing is to be set up again.'
          : 'You set one record in DNS. We see it, obtain the certificate, renew it, and tell you when something is in the way.'}
      </p>
      <dl className="mt-5 grid grid-cols-3 gap-x-4 sm:flex sm:gap-x-10">
        {planFigures(plan).map(({ value, unit }) => (
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
          <p className="text-soft">An owner of the account changes the plan.</p>
        )}
      </div>
    </section>
  )
}
