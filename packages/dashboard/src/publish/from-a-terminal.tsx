import { terminalCommand } from '../terminal-command.ts'
import { Command } from '../ui/command.tsx'

/** The other way to publish. */
export function FromATerminal({ command }: { command: string }) {
  return (
    <>
      <div className="max-w-[720px]">
        <Command line={terminalCommand(command, location.origin)} />
      </div>
      <p className="mt-3 max-w-[60ch] text-small text-soft">
        Run it in a checkout of Masthead, with a folder of your own. The first time, it asks you here whether
        it may act for you.
      </p>
    </>
  )
}
