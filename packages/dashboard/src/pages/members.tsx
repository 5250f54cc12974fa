import { useMembers } from '../data/people.ts'
import { useHasScope, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { useHashDialog } from '../ui/url-state.ts'
import { InvitePerson, OpenInvitations } from './members/invitations.tsx'
import { PeopleTable } from './members/people-table.tsx'
import { RolesSection } from './members/roles.tsx'

export function MembersPage() {
  const { account } = useSignedIn()
  const mayManage = useHasScope('admin')
  const list = useMembers()
  const inviting = useHashDialog('invite')
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
