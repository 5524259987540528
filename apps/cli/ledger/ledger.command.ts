import { CommandGroup } from '../command-group.js';
import { Command } from '../command-decorators.js';
import { LedgerExplainCommand } from './explain.command.js';
import { LedgerExportCommand } from './export.command.js';
import { LedgerReplayCommand } from './replay.command.js';
import { LedgerVerifyCommand } from './verify/verify.command.js';

/** The command `countinghouse ledger`, whose subcommands compute the books directly from the events. */
@Command({
  name: 'ledger',
  description: 'Compute the books from the event store instead of the read models.',
  subCommands: [LedgerExplainCommand, LedgerExportCommand, LedgerReplayCommand, LedgerVerifyCommand],
})
export class LedgerCommand extends CommandGroup {}
