import { useBans } from '../../data/operator.ts'
import { Loaded } from '../../loaded.tsx'
import { ShowMore } from '../../show-more.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { BansTable } from './bans/bans-table.tsx'

export function OperatorBansPage() {
  const list = useBans()
  return (
    <Page
      title="Bans"
      lede="A key that keeps sending while it was told to wait is banned for a while. Each ban ends by itself."
    >
      <Loaded query={list}>
        {(bans) =>
          bans.length === 0 ? (
            <Empty title="No key is banned">
              Keys will stand here while they are banned, with what they did and when the ban ends. There is
              nothing to do.
            </Empty>
          ) : (
            <>
              <BansTable bans={bans} />
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
