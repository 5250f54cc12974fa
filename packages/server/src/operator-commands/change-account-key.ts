import { AccountKeyError, changeAccountKey } from '../certificates/acme-account/change-account-key.ts'
import { openAcme, openSealingKeys } from '../start/open-certificates.ts'
import { withStorage } from './installation.ts'
import { type OperatorCommand, type OperatorIo, readArguments } from './operator-command.ts'
import { exitCodes, runCommand } from './run-command.ts'

const usage = `Replaces the key of the server's account at the certificate authority. The server may keep running.

  npx masthead-server change-account-key

Run it in the server's folder with the server's settings (MASTHEAD_DATA, DATABASE_URL, MASTHEAD_MASTER_KEY,
and the MASTHEAD_CA settings). You can interrupt it and run it again at any time.
`

function change({ settings }: OperatorIo): Promise<string> {
  const config = settings()
  return withStorage(config, async (storage) => {
    const acme = await openAcme(config, storage.now)
    if (acme.length === 0)
      throw new AccountKeyError('The internal CA has no account, so there is no key to change.')
    const sealing = await openSealingKeys(storage, config)
    for (const { client, authority } of acme) {
      await changeAccountKey({ ...storage, sealing }, client, authority)
    }
    const titles = acme.map(({ authority }) => authority.title)
    return titles.map((title) => `The account at ${title} has a new key.`).join('\n')
  })
}

export const changeAccountKeyCommand: OperatorCommand = {
  name: 'change-account-key',
  usage,
  async run(args, io) {
    readArguments(args)
    io.print(await change(io))
    return exitCodes.done
  },
}

// Service files and scripts from before there was `masthead-server` run this file itself.
if (import.meta.main)
  process.exitCode = await runCommand(changeAccountKeyCommand, process.argv.slice(2), process)
