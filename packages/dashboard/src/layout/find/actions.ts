import type { Project } from '@masthead/contract/schemas/project.ts'
import { type MemberSession, signOut } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { chooseTheme, type Theme, themes } from '../../theme.ts'
import { hasScope } from '../signed-in.tsx'
import type { FindEntry } from './entries.ts'

interface ActionsInput {
  session: MemberSession
  /** Whether this server issues certificates from its own CA. */
  ownRoot: boolean
}

/** What this person can do from any page. */
export function accountActions({ session, ownRoot }: ActionsInput): FindEntry[] {
  const link = (title: string, to: string, ...alsoCalled: string[]): FindEntry => ({
    id: `action ${title}`,
    kind: 'action',
    title,
    alsoCalled,
    choose: { go: to },
  })
  const others = session.accounts.filter(({ id }) => id !== session.account.id)
  return [
    ...(hasScope(session, 'deploy')
      ? [link('New project', paths.newProject(session.account.id), 'Create a project')]
      : []),
    ...(hasScope(session, 'admin')
      ? [link('Create API key', paths.newKey(session.account.id), 'New API key')]
      : []),
    ...(hasScope(session, 'admin')
      ? [
          link('Invite member', paths.invite(session.account.id), 'New member', 'Add person'),
          link('Change plan', paths.plan(session.account.id), 'Upgrade', 'Billing'),
        ]
      : []),
    ...others.map(
      ({ id, name }): FindEntry => ({
        id: `switch ${id}`,
        kind: 'action',
        title: `Switch to ${name}`,
        detail: 'Account',
        choose: { go: paths.projects(id) },
      }),
    ),
    ...themes.map(
      (theme): FindEntry => ({
        id: `theme ${theme}`,
        kind: 'action',
        title: themeActions[theme],
        alsoCalled: ['Theme', 'Appearance', 'Color scheme'],
        choose: { run: async () => chooseTheme(theme), running: '' },
      }),
    ),
    ...(ownRoot ? [rootCertificate] : []),
    {
      id: 'sign-out',
      kind: 'action',
      title: 'Sign out',
      alsoCalled: ['Log out', 'Logout'],
      choose: { run: () => signOut(), running: 'Signing out…' },
    },
  ]
}

const themeActions: Record<Theme, string> = {
  system: 'Use system theme',
  light: 'Use light theme',
  dark: 'Use dark theme',
}

const rootCertificate: FindEntry = {
  id: 'root-certificate',
  kind: 'action',
  title: 'Download root certificate',
  choose: { open: '/v1/ca.pem', download: 'masthead-root.pem' },
}

export function addDomainTo({ id, slug, name }: Project): FindEntry {
  return {
    id: `add-domain ${id}`,
    kind: 'action',
    title: `Add a domain to ${name}`,
    choose: { go: paths.domains(slug) },
  }
}

export function rollBack({ id, slug, name }: Project): FindEntry {
  return {
    id: `roll-back ${id}`,
    kind: 'action',
    title: `Roll back ${name}`,
    alsoCalled: [`Rollback ${name}`, `Undo a deployment of ${name}`],
    choose: { go: paths.deployments(slug) },
  }
}
