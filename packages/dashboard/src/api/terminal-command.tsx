import { terminalCommand } from '../terminal-command.ts'
import { Command } from '../ui/copy.tsx'
import { useServer } from './session.ts'

/** A command of the CLI to copy, as any terminal can run it. */
export function TerminalCommand({ command }: { command: string }) {
  const { data: server, isPending } = useServer()
  if (isPending) return <div className="h-11" />
  return <Command line={terminalCommand(command, server?.commandLine?.url, location.origin)} />
}
