import { useKeys } from '../data/keys.ts'
import { useUsage } from '../data/usage.ts'
import { GuideLink } from '../guide-link.tsx'
import { useHasScope, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { useHashDialog } from '../ui/url-state.ts'
import { BanNotices } from './keys/ban-notices.tsx'
import { KeysTable } from './keys/keys-table.tsx'
import { NewKey } from './keys/new-key.tsx'
import { Pipelines } from './keys/pipelines.tsx'

export function KeysPage() {
  return useHasScope('admin') ? <ManagedKeys /> : <OwnersOnly />
}

function ManagedKeys() {
  const creating = useHashDialog('new')
  const list = useKeys()
  const bans = useUsage({ poll: false }).data?.bans ?? []
  return (
    <Page
      title="API keys"
      intro={
        <>
          API keys let programs act on this account. Scopes limit what a key can do; all keys share one rate
          limit.
          <GuideLink to="keys" />
        </>
      }
      aside={
        <Button look="primary" onClick={creating.open}>
          Create key
        </Button>
      }
    >
      <Loaded query={list}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty title="No keys yet">
              Create a key for a script, a CI pipeline or any other program that publishes for you. Its secret
              is shown only once.
            </Empty>
          ) : (
            <>
              <KeysTable keys={keys} bans={bans} manage />
              <ShowMore list={list} />
              <BanNotices bans={bans} />
            </>
          )
        }
      </Loaded>
      <Pipelines />
      {creating.isOpen && <NewKey onClose={creating.close} />}
    </Page>
  )
}

function OwnersOnly() {
  const { account } = useSignedIn()
  const bans = useUsage({ poll: false }).data?.bans ?? []
  return (
    <Page title="API keys">
      <Empty title="Only owners can manage API keys">
        Owners of <bdi>{account.name}</bdi> can see, create and revoke its keys. Ask one of them for a key, or
        to make you an owner.
      </Empty>
      <div className="mt-8">
        <BanNotices bans={bans} />
      </div>
    </Page>
  )
}
