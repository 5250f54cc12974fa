import { usePerson } from '../data/person.ts'
import { Loaded } from '../loaded.tsx'
import { Page } from '../ui/page.tsx'
import { PersonAccounts } from './person/accounts.tsx'
import { CliLogins } from './person/cli-logins.tsx'
import { ChangeEmail, ChangeName, ChangePassword } from './person/profile.tsx'
import { Sessions } from './person/sessions.tsx'

export function PersonPage() {
  const person = usePerson()
  return (
    <Page title="Your profile" intro="Your name, sign-in and sessions, shared by all your accounts.">
      <Loaded query={person}>
        {(data) => (
          <>
            <ChangeName key={data.name} person={data} />
            <ChangeEmail key={data.email} person={data} />
            <ChangePassword email={data.email} />
            <Sessions />
            <CliLogins />
            <PersonAccounts accounts={data.accounts} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
