import { CommandGroup } from '../command-group.js';
import { Command } from '../command-decorators.js';
import { LedgerExplainCommand } from './explain.command.js';
import { LedgerExportCommand } from './export.command.js';
import { LedgerReplayCommand } from './replay.command.js';
import { LedgerVerifyCommand } from './verify/verify.command.js';

/** `countinghouse ledger`: the books, made from the events themselves. */
@Command({
  name: 'ledger',
  description: 'Read the books out of the event store, not out of the read models.',
  subCommands: [LedgerExplainCommand, LedgerExportCommand, LedgerReplayCommand, LedgerVerifyCommand],
})
export class LedgerCommand extends CommandGroup {}
