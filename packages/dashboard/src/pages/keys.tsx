import { useKeys } from '../data/keys.ts'
import { useUsage } from '../data/usage.ts'
import { useHasScope, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { useHashDialog } from '../ui/url-state.ts'
import { BanNotices } from './keys/ban-notices.tsx'
import { KeysTable } from './keys/keys-table.tsx'
import { NewKey } from './keys/new-key.tsx'

export function KeysPage() {
  return useHasScope('admin') ? <ManagedKeys /> : <OwnersOnly />
}

function ManagedKeys() {
  const creating = useHashDialog('new')
  const list = useKeys()
  const bans = useUsage({ asItGrows: false }).data?.bans ?? []
  return (
    <Page
      title="API keys"
      lede="A program shows a key where a person signs in. Each key may do what its scopes say, and all draw on the same limits."
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
              Keys will stand here, with what they may do and when they were last used. Create one for a
              script, a pipeline or any other program that publishes for you; its secret is shown once.
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
      {creating.isOpen && <NewKey onClose={creating.close} />}
    </Page>
  )
}

function OwnersOnly() {
  const { account } = useSignedIn()
  const bans = useUsage({ asItGrows: false }).data?.bans ?? []
  return (
    <Page title="API keys">
      <Empty title="Keys are kept by owners">
        Only an owner of {account.name} can see its keys, create and revoke them. Ask one for a key, or for
        the role of an owner.
      </Empty>
      <div className="mt-8">
        <BanNotices bans={bans} />
      </div>
    </Page>
  )
}
