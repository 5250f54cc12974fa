import {
  type ProxyProvider,
  proxyIsChecked,
  proxyIsNotChecked,
  proxyProviderNames,
  proxyProviders,
  routeOutcomes,
} from '@masthead/contract/domains/proxy-providers.ts'
import { replacedRecords } from '@masthead/contract/domains/replaced-records.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { useChangeDomain } from '../../../../data/domains.ts'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useHasScope } from '../../../../layout/signed-in.tsx'
import { ProblemNotice } from '../../../../problem-notice.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Copyable } from '../../../../ui/copy.tsx'
import { Select } from '../../../../ui/field.tsx'
import { Disclosure } from '../../../../ui/page.tsx'
import { DraftForm, useDraft } from '../settings-form.tsx'

type Proxied = NonNullable<Domain['proxied']>

/** Whether the domain is behind a proxy, where that has to lead, and what our requests through it found. */
export function BehindProxy({ domain }: { domain: Domain }) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const change = useChangeDomain(slug, domain.hostname)
  const { proxied } = domain
  const { values, changed, saved, set, taken } = useDraft<{ provider: ProxyProvider | 'none' }>({
    provider: proxied?.provider ?? 'none',
  })

  async function save() {
    if (!changed) return
    await change.mutateAsync({ proxied: toProvider(values.provider) })
    taken()
  }

  return (
    <div className="flex flex-col gap-5">
      {mayChange ? (
        <DraftForm draft={{ changed, saved }} onSubmit={save}>
          <Select
            name="provider"
            label="In front of this domain"
            value={values.provider}
            onChange={({ target }) => set({ provider: target.value as ProxyProvider | 'none' })}
            hint="Behind a proxy, a TXT record or the proof of the whole domain shows that the domain is yours."
          >
            <option value="none">Nothing: DNS points here</option>
            {proxyProviderNames.map((name) => (
              <option key={name} value={name}>
                {proxyProviders[name].title}
              </option>
            ))}
          </Select>
        </DraftForm>
      ) : (
        <p>{proxied === null ? 'Nothing: DNS points here' : proxyProviders[proxied.provider].title}</p>
      )}
      {proxied !== null && <ProxyFacts proxied={proxied} />}
    </div>
  )
}

function toProvider(chosen: ProxyProvider | 'none'): ProxyProvider | null {
  return chosen === 'none' ? null : chosen
}

function ProxyFacts({ proxied }: { proxied: Proxied }) {
  const { origin, encryption } = proxyProviders[proxied.provider]
  return (
    <>
      <div className="flex max-w-[64ch] flex-col gap-3">
        <p>
          Set {origin} to the following name, and keep the host name of the visitor. {encryption}
        </p>
        <Copyable text={proxied.origin} what="the origin" />
        <p>
          {proxied.certificateBy === 'dns-01'
            ? 'Certificates are obtained by DNS (DNS-01), past the proxy.'
            : 'Certificates are obtained through the proxy (HTTP-01).'}{' '}
          {proxied.delegation !== null &&
            proxied.delegation.status !== 'ok' &&
            `With a CNAME record at ${proxied.delegation.name} that points to ${proxied.delegation.value}, they do not depend on the proxy. ${replacedRecords(proxied.delegation)}`}
        </p>
        <RouteFacts route={proxied.route} />
      </div>
      <Disclosure summary="What we check, and what we cannot see">
        <div className="flex max-w-[64ch] flex-col gap-3 pt-2 text-small text-soft">
          <Facts title="We check" facts={proxyIsChecked} />
          <Facts title="We cannot see" facts={proxyIsNotChecked} />
        </div>
      </Disclosure>
    </>
  )
}

function RouteFacts({ route }: { route: Proxied['route'] }) {
  if (route === null) {
    return <p className="text-soft">We send requests through the proxy once the domain is proved.</p>
  }
  const { http, https, visitors } = route
  return (
    <ul className="flex flex-col gap-1 text-small text-soft">
      <li className={http === 'arrived' ? 'text-live' : ''}>Over HTTP: {routeOutcomes[http]}</li>
      <li className={https === 'arrived' ? 'text-live' : ''}>Over HTTPS: {routeOutcomes[https]}</li>
      {visitors === 'known' && <li>Limits see the addresses of visitors, not the proxy’s own.</li>}
      {visitors === 'unknown' && <li>All visitors of the proxy count as one address.</li>}
    </ul>
  )
}

function Facts({ title, facts }: { title: string; facts: readonly string[] }) {
  return (
    <div>
      <p className="font-medium text-ink">{title}</p>
      <ul className="mt-1 list-disc pl-5">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </div>
  )
}

/** Keeps a CDN that a check has found in front of the domain. */
export function MarkAsProxied({ domain, provider }: { domain: Domain; provider: ProxyProvider }) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const change = useChangeDomain(slug, domain.hostname)
  if (!mayChange || domain.proxied !== null) return null
  return (
    <span className="mt-2.5 block">
      <Button pending={change.isPending && 'Saving…'} onClick={() => change.mutate({ proxied: provider })}>
        Keep {proxyProviders[provider].title} in front
      </Button>
      {change.error !== null && <ProblemNotice error={change.error} />}
    </span>
  )
}
