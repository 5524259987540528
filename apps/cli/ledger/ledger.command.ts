import { Command } from 'nest-commander';
import { CliCommand } from '../cli-command.js';

/** `countinghouse ledger`: the books, made from the events themselves. */
@Command({
  name: 'ledger',
  description: 'Read the books out of the event store, not out of the read models.',
  subCommands: [],
})
export class LedgerCommand extends CliCommand {
  override async run(): Promise<void> {
    this.command.outputHelp();
  }
}
