import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { Link } from 'react-router'
import { useKeys } from '../../data/keys.ts'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { Loaded } from '../../loaded.tsx'
import { paths } from '../../paths.ts'
import { ShowMore } from '../../show-more.tsx'
import { Section } from '../../ui/section.tsx'
import { BanNotices } from '../keys/ban-notices.tsx'
import { KeysTable } from '../keys/keys-table.tsx'

/** Who draws on the limits. */
export function UsageKeys({ usage: { bans, keys: used } }: { usage: Usage }) {
  const { account } = useSignedIn()
  const list = useKeys()
  const today = new Map<string, number>(used.map(({ keyId, requests }) => [keyId, requests]))
  return (
    <Section title="Keys">
      <Loaded query={list}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="text-soft">
              No program can use the API yet.{' '}
              <Link to={paths.keys(account.id)} className="link">
                Create a key
              </Link>
            </p>
          ) : (
            <>
              <KeysTable keys={keys} bans={bans} today={today} />
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
      <BanNotices bans={bans} />
    </Section>
  )
}
