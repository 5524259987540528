import { CommandGroup } from '../command-group.js';
import { Command } from '../command-decorators.js';
import { ProjectionsDropOldCommand } from './drop-old.command.js';
import { ProjectionsListCommand } from './list.command.js';
import { ProjectionsRebuildCommand } from './rebuild.command.js';
import { ProjectionsStatusCommand } from './status.command.js';
import { ProjectionsVerifyCommand } from './verify.command.js';

/** The subcommands of `countinghouse projections`. */
const subCommands = [
  ProjectionsListCommand,
  ProjectionsStatusCommand,
  ProjectionsRebuildCommand,
  ProjectionsVerifyCommand,
  ProjectionsDropOldCommand,
];

/** The command `countinghouse projections`, for the read models that are made from the event log. */
@Command({
  name: 'projections',
  description: 'Show, rebuild and verify the read models.',
  subCommands,
})
export class ProjectionsCommand extends CommandGroup {}
