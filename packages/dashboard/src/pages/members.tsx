import { useMembers } from '../data/people.ts'
import { useMay, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded } from '../loaded.tsx'
import { ShowMore } from '../show-more.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { useOpened } from '../use-opened.ts'
import { InvitePerson } from './members/invite-person.tsx'
import { OpenInvitations } from './members/open-invitations.tsx'
import { PeopleTable } from './members/people-table.tsx'
import { RolesSection } from './members/roles-section.tsx'

export function MembersPage() {
  const { account } = useSignedIn()
  const mayManage = useMay('admin')
  const list = useMembers()
  const inviting = useOpened('invite')
  return (
    <Page
      title="Members"
      lede={
        mayManage
          ? `The people of ${account.name}, and what each of them may do.`
          : `The people of ${account.name}. An owner invites people and changes roles.`
      }
      aside={
        mayManage && (
          <Button look="primary" onClick={inviting.open}>
            Invite a person
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {(members) => (
          <>
            <PeopleTable members={members} manage={mayManage} />
            <ShowMore list={list} />
          </>
        )}
      </Loaded>
      {mayManage && <OpenInvitations />}
      <RolesSection />
      {mayManage && inviting.isOpen && <InvitePerson onClose={inviting.close} />}
    </Page>
  )
}
