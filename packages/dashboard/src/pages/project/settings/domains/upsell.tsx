import { plans } from '@masthead/contract/plans.ts'
import { Link } from 'react-router'
import { useMay, useSignedIn } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { buttonClass } from '../../../../ui/button.tsx'
import { planFigures, planWithDomains } from '../../../plan/plan-words.ts'

/** Stands where domains would be added, on a plan without them: what the next plan gives, and the way to it. */
export function Upsell({ suspended }: { suspended: boolean }) {
  const mayChoose = useMay('admin')
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
