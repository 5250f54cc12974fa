import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { countRefused, type FirstAnswer, waitForFirstAnswer } from '../https-visits.ts'
import { type Contender, type IssuanceSetup, pausePerName, summary } from './issuance-setup.ts'

const liveTimeoutMs = 60_000

export async function startMasthead(place: IssuanceSetup, started: AsyncDisposableStack): Promise<Contender> {
  const { pebble, ports } = await place.startAuthority()
  const root = await pebble.issuerRootPem()
  const masthead = started.use(
    await MastheadProcess.start({
      ports,
      env: {
        MASTHEAD_PLATFORM_DOMAIN: 'masthead.test',
        MASTHEAD_DNS_SERVERS: place.dnsServer,
        MASTHEAD_DNS_PORT: String(place.dns.port),
        MASTHEAD_CA: pebble.directoryUrl,
        MASTHEAD_CA_ROOTS: pebble.rootsFile,
        MASTHEAD_HTTPS_REDIRECT: 'off',
        MASTHEAD_LOG: 'warn',
      },
    }),
  )
  const publisher = await createPublisher(masthead)
  await publisher.createProject('bench')
  await publisher.publishArchive('bench', tarGz({ 'index.html': 'Masthead' }))
  const client = createClient({ server: masthead.origin, key: publisher.key })
  const of = (hostname: string) => ({ params: { project: 'bench', hostname } })
  const records: string[] = []

  /** Adds the domains and points them here in DNS. */
  async function prepare(names: readonly string[]): Promise<void> {
    for (const hostname of names) {
      const domain = await client.addDomain({ params: { project: 'bench' }, body: { hostname } })
      const target = domain.records.find(({ type }) => type === 'CNAME')?.value
      records.push(`${hostname}. CNAME ${target}.`)
    }
    await place.setRecords(records)
  }

  async function untilLive(hostname: string): Promise<Domain> {
    for (const end = Date.now() + liveTimeoutMs; ; await sleep(100)) {
      const domain = await client.getDomain(of(hostname))
      if (domain.state === 'live') return domain
      if (Date.now() > end) throw new Error(`${hostname} is not live: ${JSON.stringify(domain.certificate)}`)
    }
  }

  return {
    title: 'Masthead',
    suffix: 'acme.test',
    orders: pebble.ordersMade,
    async get(names, atOnce) {
      const timed: { from: number; answer: FirstAnswer; live: number }[] = []
      let [spent, refusedAfter] = [0, 0]
      for (let at = 0; at < names.length; at += atOnce) {
        const batch = names.slice(at, at + atOnce)
        await prepare(batch)
        const start = Date.now()
        const answers = await Promise.all(
          batch.map(async (name) => {
            await client.verifyDomain(of(name))
            const pause = pausePerName * atOnce
            return { name, answer: await waitForFirstAnswer({ port: ports.https, name, root, pause }) }
          }),
        )
        spent += Date.now() - start
        for (const { name, answer } of answers) {
          const { verifiedAt, liveAt } = await untilLive(name)
          const from = Date.parse(verifiedAt ?? '')
          timed.push({ from, answer, live: (Date.parse(liveAt ?? '') - from) / 1000 })
        }
        refusedAfter += await countRefused(batch, { port: ports.https, root })
      }
      const live = timed.map((each) => each.live)
      return { ...summary(timed), all: spent / 1000, refusedAfter, live }
    },
  }
}
