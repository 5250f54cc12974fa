import { useMembers } from '../data/people.ts'
import { GuideLink } from '../guide-link.tsx'
import { useHasScope, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { useHashDialog } from '../ui/url-state.ts'
import { InvitePerson, PendingInvitations } from './members/invitations.tsx'
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
      intro={
        <>
          People with access to <bdi>{account.name}</bdi>.
          {!mayManage && ' Owners can invite people and change roles.'}
          <GuideLink to="members" />
        </>
      }
      aside={
        mayManage && (
          <Button look="primary" onClick={inviting.open}>
            Invite member
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
      {mayManage && <PendingInvitations />}
      <RolesSection />
      {mayManage && inviting.isOpen && <InvitePerson onClose={inviting.close} />}
    </Page>
  )
}
