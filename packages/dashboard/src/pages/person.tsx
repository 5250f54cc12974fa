import { usePerson } from '../data/person.ts'
import { Loaded } from '../loaded.tsx'
import { Page } from '../ui/page.tsx'
import { PersonAccounts } from './person/accounts.tsx'
import { ChangeEmail, ChangeName, ChangePassword } from './person/profile.tsx'
import { Sessions } from './person/sessions.tsx'

export function PersonPage() {
  const person = usePerson()
  return (
    <Page title="Your profile" lede="Who you are on this server, in every account that you belong to.">
      <Loaded query={person}>
        {(data) => (
          <>
            <ChangeName key={data.name} person={data} />
            <ChangeEmail key={data.email} person={data} />
            <ChangePassword email={data.email} />
            <Sessions />
            <PersonAccounts accounts={data.accounts} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
