import { Empty } from '../../../../ui/empty.tsx'

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
